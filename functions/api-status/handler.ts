import { publicUrl } from '../adapters/aws/environment.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { logTable } from '../triggers/aws-ports.ts';
import { httpTrigger } from '../triggers/http.ts';
import { status } from './status.ts';

export const handler = httpTrigger(status(dynamoDbReader(logTable())), publicUrl());

import { publicUrl } from '../adapters/aws/environment.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { logTable } from '../triggers/aws-ports.ts';
import { httpTrigger } from '../triggers/http.ts';
import { change } from './change.ts';

export const handler = httpTrigger(change(dynamoDbReader(logTable())), publicUrl());

import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { publicUrl, variable } from '../adapters/aws/environment.ts';
import { dynamoDbRefusedCalls } from '../adapters/stores/dynamodb/connections/refused-calls.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { logTable } from '../triggers/aws-ports.ts';
import { httpTrigger } from '../triggers/http.ts';
import { status } from './status.ts';

const table = variable('CONNECTIONS_TABLE');
const refused = dynamoDbRefusedCalls({ client: dynamoDb(), table, clock: systemClock });

export const handler = httpTrigger(status(dynamoDbReader(logTable()), refused), publicUrl());

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { systemClock, systemIds } from '../ambient/system.ts';
import type { TableContext } from '../stores/dynamodb/log.ts';
import { variable } from './environment.ts';

/** The table of the log, from `LOG_TABLE`. */
export function connectTable(): TableContext {
  return { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
}

/** Who calls the webhook gives up after ten seconds: the database gets less, and one more try. */
function dynamoDb(): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
  });
}

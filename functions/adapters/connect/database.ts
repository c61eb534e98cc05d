import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { unlogged } from './unlogged.ts';

/** A client of the database. Who calls the webhook gives up after ten seconds: it gets less, and one more try. */
export function dynamoDb(): DynamoDBClient {
  return unlogged(
    new DynamoDBClient({
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
    }),
  );
}

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { once } from '../../core/once.ts';
import { withoutLogging } from './without-logging.ts';

/** Returns the function's DynamoDB client. Webhook senders give up after ten seconds, hence the short timeouts. */
export const dynamoDb = once(() =>
  withoutLogging(
    new DynamoDBClient({
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
    }),
  ),
);

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { once } from '../../core/once.ts';
import { withoutLogging } from './without-logging.ts';

/**
 * Returns the function's DynamoDB client. The timeouts are short because webhook senders time out after ten seconds.
 */
export const dynamoDb = once(() =>
  withoutLogging(
    new DynamoDBClient({
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
    }),
  ),
);

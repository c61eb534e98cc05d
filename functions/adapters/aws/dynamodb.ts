import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { once } from '../../core/concurrency.ts';
import { requestLimits, withoutLogging } from './client-settings.ts';

/**
 * Returns the function's DynamoDB client. The timeouts are short because webhook senders time out after ten seconds.
 */
export const dynamoDb = once(() => withoutLogging(new DynamoDBClient(requestLimits(4_000))));

import { SQSClient } from '@aws-sdk/client-sqs';
import { once } from '../../core/once.ts';
import { withoutLogging } from './without-logging.ts';

/** Returns the function's SQS client. */
export const sqs = once(() =>
  withoutLogging(
    new SQSClient({ maxAttempts: 3, requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 } }),
  ),
);

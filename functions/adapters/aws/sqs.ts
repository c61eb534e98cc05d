import { SQSClient } from '@aws-sdk/client-sqs';
import { once } from '../../core/concurrency.ts';
import { requestLimits } from './request-limits.ts';
import { withoutLogging } from './without-logging.ts';

/** Returns the function's SQS client. */
export const sqs = once(() => withoutLogging(new SQSClient(requestLimits(5_000))));

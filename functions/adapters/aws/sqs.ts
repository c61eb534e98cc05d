import { SQSClient } from '@aws-sdk/client-sqs';
import { once } from '../../core/concurrency.ts';
import { requestLimits, withoutLogging } from './client-settings.ts';

export const sqs = once(() => withoutLogging(new SQSClient(requestLimits(5_000))));

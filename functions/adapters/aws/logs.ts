import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { once } from '../../core/concurrency.ts';
import { requestLimits, withoutLogging } from './client-settings.ts';

/** Returns the function's client of CloudWatch Logs. */
export const cloudWatchLogs = once(() => withoutLogging(new CloudWatchLogsClient(requestLimits(10_000))));

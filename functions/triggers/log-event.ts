import { gunzipSync } from 'node:zlib';
import { isObject, parseJson } from '../core/json.ts';
import type { EndedInstance } from '../core/ports/platform.ts';

/** A few events of one log stream; what unpacks to more is none. */
const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Returns the stream that CloudWatch Logs tells of, by the filter on an application's log; null for any other event.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html#LambdaFunctionExample
 */
export function endedInstanceIn(event: unknown): EndedInstance | null {
  const logs = isObject(event) && isObject(event.awslogs) ? event.awslogs : {};
  if (typeof logs.data !== 'string') return null;
  const parsed = parseJson(unpacked(logs.data));
  const { messageType, logGroup, logStream } = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  // A CONTROL_MESSAGE only checks that the function can be reached.
  if (messageType !== 'DATA_MESSAGE' || typeof logGroup !== 'string' || typeof logStream !== 'string') return null;
  return { group: logGroup, stream: logStream };
}

/** Returns the empty string for what is not gzip, is cut off, or unpacks to more than the limit. */
function unpacked(data: string): string {
  try {
    return gunzipSync(Buffer.from(data, 'base64'), { maxOutputLength: MAX_BYTES }).toString('utf8');
  } catch {
    return '';
  }
}

import { gunzipSync } from 'node:zlib';
import { decodePercent } from '../core/basic-auth.ts';
import { isObject, parseJson } from '../core/json.ts';
import type { EndedInstance, SnapshotRef } from '../core/ports/platform.ts';
import { trace } from './trace.ts';

/**
 * Returns the handler of CodeBuild's event "Build State Change", which passes the snapshot that a build belongs to, and
 * answers with whether a deploy was waiting for it. An event without a snapshot is of a build that somebody started by
 * hand.
 * https://docs.aws.amazon.com/codebuild/latest/userguide/sample-build-notifications.html#sample-build-notifications-ref
 */
export function buildTrigger(resume: (snapshot: SnapshotRef) => Promise<boolean>) {
  return async (event: unknown): Promise<{ readonly resumed: boolean }> => {
    const snapshot = snapshotIn(event);
    if (!snapshot) trace('build without a snapshot', { build: field(field(event, 'detail'), 'build-id') });
    return { resumed: snapshot !== null && (await resume(snapshot)) };
  };
}

/** The build's environment variable SNAPSHOT, `<user>/<application>/<snapshot>`, percent-encoded. */
function snapshotIn(event: unknown): SnapshotRef | null {
  const environment = field(field(field(event, 'detail'), 'additional-information'), 'environment');
  const variables = field(environment, 'environment-variables');
  const variable = Array.isArray(variables) ? variables.find((one) => field(one, 'name') === 'SNAPSHOT') : undefined;
  const value = field(variable, 'value');
  const parts = typeof value === 'string' ? value.split('/') : [];
  const [user, app, snapshot] = parts.map(decodePercent);
  return user && app && snapshot && parts.length === 3 ? { user, app, snapshot } : null;
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

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

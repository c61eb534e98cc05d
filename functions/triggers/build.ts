import { isObject } from '../core/json.ts';
import type { SnapshotRef } from '../core/ports/platform.ts';
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
  const found = Array.isArray(variables) ? variables.find((one) => field(one, 'name') === 'SNAPSHOT') : undefined;
  const value = field(found, 'value');
  const parts = typeof value === 'string' ? value.split('/') : [];
  const [user, app, snapshot] = parts.flatMap((part) => decoded(part));
  return user && app && snapshot && parts.length === 3 ? { user, app, snapshot } : null;
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function decoded(text: string): readonly string[] {
  try {
    return [decodeURIComponent(text)];
  } catch {
    return [];
  }
}

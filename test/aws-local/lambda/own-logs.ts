import { type LogStore, streamArn } from '../logs/log-store.ts';
import type { Call } from '../permissions/guard.ts';
import type { RoleDenial } from '../permissions/permissions.ts';
import { functionArn } from './function-store.ts';
import type { RunnableVersion } from './version-process.ts';

/** Writes a line of a version into a stream of its log. */
export type OwnLogs = (version: RunnableVersion, stream: string, message: string) => void;

/**
 * Writes the logs of functions that were created by calls, as Lambda does: with the function's role and the ARN of the
 * function. Lines that the role does not allow are lost, and the function runs on.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/permissions-source-function-arn.html
 */
export function ownLogs(store: LogStore, denialOf: RoleDenial): OwnLogs {
  return ({ name, settings }, stream, message) => {
    const { logGroup, role } = settings;
    const tags = Object.entries(store.tags(logGroup) ?? {}).map(([key, value]) => [`aws:ResourceTag/${key}`, value]);
    const context = { 'lambda:SourceFunctionArn': functionArn(name), ...Object.fromEntries(tags) };
    const call = (action: string): Call => ({
      action: `logs:${action}`,
      resource: streamArn(logGroup, stream),
      context,
    });
    // A group that is there no more: its function was removed, and prints its last lines.
    if (!store.streams(logGroup) && denialOf(role, [call('CreateLogGroup')], 'expected') !== undefined) return;
    const isNew = !store.streams(logGroup)?.includes(stream);
    const calls = [...(isNew ? ['CreateLogStream'] : []), 'PutLogEvents'].map(call);
    if (denialOf(role, calls) === undefined) store.append(logGroup, stream, [{ timestamp: Date.now(), message }]);
  };
}

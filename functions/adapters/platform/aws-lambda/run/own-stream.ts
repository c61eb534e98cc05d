import { DescribeLogStreamsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { SnapshotRef } from '../../../../core/ports/platform.ts';
import { unless } from '../../../aws/failures.ts';
import { functionName, logGroupOf } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { recordEvent } from '../table/app-events.ts';
import { keys, type WatchedLog } from '../table/items.ts';
import type { Stored } from '../table/table.ts';

/** So long after a trial the instance that answered has a stream in the log, if its role may make one. */
const STREAM_AFTER_MS = 60_000;
/** A run of the watch begins with no further log after that time; the next one goes on. */
export const LOGS_MS = 5_000;
/** Before the note of a trial its instance may have run for this time, on the day before. */
const TRIAL_MS = 5 * 60_000;

const UNLOGGED = 'Nothing that the application prints is logged: AWS made no log stream of it within a minute.';
const SEE = 'See whether a policy of the account forbids the role of applications logs:CreateLogStream.';

interface TriedVersion extends SnapshotRef {
  readonly version: string;
}

/**
 * Makes the watch check in a minute whether a version that has answered has a stream in its log. Without one its output is
 * lost and its crashes are not found, while everything else looks as it should.
 */
export async function expectStream(tried: TriedVersion, parts: LambdaPlatformParts): Promise<void> {
  const { user, app, snapshot, version } = tried;
  const trial = { user, app, snapshot, version, tried: parts.clock.now() };
  await parts.table.write(keys.trial(functionName(parts.functionPrefix, tried)), trial);
}

/** Looks once for the stream of each version that was tried a minute ago, and notes those that have none. */
export async function lookForStreams(logs: readonly Stored<WatchedLog>[], parts: LambdaPlatformParts): Promise<void> {
  const { table, clock, appRole } = parts;
  const endAt = clock.now() + LOGS_MS;
  for (const { user, app, snapshot, version, tried } of logs) {
    if (user === undefined || app === undefined || snapshot === undefined) continue;
    if (version === undefined || tried === undefined || clock.now() - tried < STREAM_AFTER_MS) continue;
    if (clock.now() > endAt) return;
    const name = functionName(parts.functionPrefix, { user, app });
    // A log that is gone is that of an application which was removed.
    const isSeen = await unless('ResourceNotFoundException', hasStream({ name, version, tried }, parts));
    if (isSeen) await table.write(keys.function(name), { writesAs: appRole }, { exists: true });
    if (isSeen === false) await noteUnlogged({ user, app, snapshot }, parts);
    // Unless another one was tried meanwhile.
    await table.remove(keys.trial(name), { attribute: 'tried', is: tried });
  }
}

/** An event of a crash stays: it is what has a crashed application asked again, and its log has said so. */
async function noteUnlogged(
  { user, app, snapshot }: SnapshotRef,
  { table, clock }: LambdaPlatformParts,
): Promise<void> {
  const last = await table.read(keys.event({ user, app }));
  if (last?.event.state === 'crashed') return;
  const reason = `${UNLOGGED} ${SEE}`;
  await recordEvent(table, { user, app, snapshot, seq: clock.now(), state: 'running', reason, log: [] });
}

interface Trial {
  readonly name: string;
  readonly version: string;
  readonly tried: number;
}

/** The stream of an instance is `2026/11/22/[<version>]<id>`: of the day on which the instance began. */
async function hasStream(
  { name, version, tried }: Trial,
  { logs }: Pick<LambdaPlatformParts, 'logs'>,
): Promise<boolean> {
  const days = new Set([tried - TRIAL_MS, tried].map((at) => new Date(at).toISOString().slice(0, 10)));
  for (const day of days) {
    const logStreamNamePrefix = `${day.replaceAll('-', '/')}/[${version}]`;
    const query = { logGroupName: logGroupOf(name), logStreamNamePrefix, limit: 1 };
    const { logStreams = [] } = await logs.send(new DescribeLogStreamsCommand(query));
    if (logStreams.length > 0) return true;
  }
  return false;
}

import { DeployError } from '../../../../core/errors.ts';
import type { AppRef, SnapshotRef } from '../../../../core/ports/platform.ts';
import { keepJobs } from '../jobs/cron-table.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { recordEvent } from '../table/app-events.ts';
import { keys } from '../table/items.ts';
import { pruneSnapshots } from '../table/snapshots.ts';
import { publishVersion } from './app-function.ts';
import { ensureLog, note, watchLog } from './app-log.ts';
import { masked, type Variables } from './environment.ts';
import { expectStream } from './own-stream.ts';
import { beyondLimit, limitRuns, moveTraffic } from './traffic.ts';
import { type Candidate, tryVersion } from './try-version.ts';
import { deleteVersion, planOf, pruneVersions, publishedVersions, startable, versionOf } from './versions.ts';

/**
 * Makes a version of a snapshot with the application's current variables, tries it, and moves the traffic to it; until
 * then the old version serves. A version that exists already is only tried: so a second call, and a roll back with
 * unchanged variables, publish nothing. With `fresh` there is always a new version.
 */
export async function release(
  snapshot: SnapshotRef,
  parts: LambdaPlatformParts,
  fresh = false,
): Promise<{ readonly url: string }> {
  const { variables, path, wasCrashed, known, limit } = await startable(snapshot, parts);
  const plan = planOf(snapshot, variables, { parts, fresh });
  const { name } = plan;
  const isSeen = (await prepareLog(name, snapshot, parts)) === parts.appRole;
  const versions = await publishedVersions(name, parts);
  const version = versionOf(versions, plan.description) ?? (await publishVersion(plan, parts));
  if (limit !== parts.appConcurrency) await limitRuns(name, parts);
  const trial = () => tried({ name, version, path, variables: plan.environment }, parts);
  // A start that is interrupted meanwhile leaves the next one to set the limit again.
  const before = () => parts.table.write(keys.app(snapshot), { limit: null }, { exists: true });
  await beyondLimit(name, { trial, before }, parts);
  if (!isSeen) await expectStream({ ...snapshot, version }, parts);
  const url = await moveTraffic({ name, version, known }, parts);
  const serving = { snapshot: snapshot.snapshot, version, url, limit: parts.appConcurrency };
  const state = { ...serving, state: 'running', asked: null } as const;
  // The event first: a call that is made again after this finds that the application had crashed.
  if (wasCrashed) await answersAgain(snapshot, parts);
  await parts.table.write(keys.app(snapshot), state, { exists: true });
  await note(name, `${snapshot.snapshot} serves`, parts);
  await keepJobs(snapshot, parts);
  await pruneVersions({ name, live: version, versions }, parts).catch(() => {});
  await pruneSnapshots(snapshot, parts).catch(() => {});
  return { url };
}

/**
 * Creates the log group before the function; crash notices are mapped to the application by its name. A filter is only
 * made where there is none of this watcher: an account may make five a second. Returns the role with which the
 * application has been seen to write its log.
 */
async function prepareLog(
  name: string,
  { user, app }: AppRef,
  parts: LambdaPlatformParts,
): Promise<string | undefined> {
  const { table, watcher } = parts;
  const isNew = await ensureLog(name, parts);
  const before = await table.read(keys.function(name));
  // For a minute after an instance has ended the log has no filter: what starts now must be watched at once.
  const isQuiet = Boolean(await table.read(keys.quiet(name)));
  if (!isNew && !isQuiet && before && before.watcher === watcher) return before.writesAs;
  const seen = isNew ? undefined : before?.writesAs;
  await table.write(keys.function(name), { user, app, watcher: null, writesAs: seen ?? null });
  if (watcher === undefined) return seen;
  await watchLog(name, watcher, parts);
  // Afterwards: a start that is interrupted before it makes the filter again.
  await table.write(keys.function(name), { watcher });
  return seen;
}

async function answersAgain(snapshot: SnapshotRef, { table, clock }: LambdaPlatformParts): Promise<void> {
  await recordEvent(table, { ...snapshot, seq: clock.now(), state: 'running', reason: null, log: [] });
}

interface Trial extends Candidate {
  readonly variables: Variables;
}

/** Deletes a version that does not start, because it is of no further use. Its output may contain its variables. */
async function tried(trial: Trial, parts: LambdaPlatformParts): Promise<void> {
  const { name, version, variables } = trial;
  try {
    await tryVersion(trial, parts);
  } catch (error) {
    if (!(error instanceof DeployError)) throw error;
    await deleteVersion(name, version, parts).catch(() => {});
    const [detail = '', ...logTail] = masked([error.detail, ...error.logTail], variables);
    // Without the cause, which the service would log with the values.
    throw new DeployError(error.code, detail, { retry: error.retry, logTail });
  }
}

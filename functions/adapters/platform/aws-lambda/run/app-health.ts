import { DeployError } from '../../../../core/errors.ts';
import type { AppEvent } from '../../../../core/ports/app-event.ts';
import type { AppHealth, AppRef, EndedInstance } from '../../../../core/ports/platform.ts';
import { throttledBy, unless } from '../../../aws/failures.ts';
import { functionName, logGroupOf } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { crashEvents, recordEvent } from '../table/app-events.ts';
import { type AppItem, keys, type WatchedLog } from '../table/items.ts';
import type { Stored } from '../table/table.ts';
import { note, unwatchLog, watchLog } from './app-log.ts';
import { masked } from './environment.ts';
import { LOGS_MS, lookForStreams } from './own-stream.ts';
import { variableSeal } from './sealed-variables.ts';
import { tryVersion } from './try-version.ts';

/** Minimum intervals between requests to an application: after an instance has ended, and after a crash. */
const ASK_EVERY_MS = 60_000;
const RECHECK_EVERY_MS = 5 * 60_000;
/** Below the timeout of the function that asks. */
const ANSWER_LIMIT_MS = 30_000;

/** An application that serves a version, or did before it crashed. */
interface Served {
  readonly app: AppRef;
  readonly item: AppItem & { readonly version: string; readonly snapshot: string };
}

/**
 * Returns the detection of crashes. Lambda starts an application again with the next request, so the end of an instance
 * says little. An application that then does not answer `GET /` has crashed; it is asked now and then until it answers.
 */
export function lambdaAppHealth(parts: LambdaPlatformParts): AppHealth {
  return {
    ended: async (instance) => {
      const name = functionOf(instance);
      const app = name === null ? null : await parts.table.read(keys.function(name));
      if (name === null || !app) return;
      await beQuiet(name, parts);
      const served = await servedBy(app, instance, parts);
      if (served?.item.state === 'running' && (await claim(served, ASK_EVERY_MS, parts)))
        await checkRunning(served, parts);
    },
    recheck: async () => {
      const logs = await parts.table.list(keys.watchedLogs());
      await listenAgain(logs, parts);
      await lookForStreams(logs, parts);
      const crashed = (await crashEvents(parts.table)).filter(({ state }) => state === 'crashed');
      for (const { user, app } of crashed) {
        const served = await servedOf({ user, app }, parts);
        // Not only `crashed`: a run that was interrupted may have written the event and not the state, or not yet.
        if (!served || served.item.state === 'stopped' || !(await claim(served, RECHECK_EVERY_MS, parts))) continue;
        // One at a time: an answer may take as long as a run of the watch may.
        return checkCrashed(served, parts);
      }
    },
  };
}

async function checkRunning(served: Served, parts: LambdaPlatformParts): Promise<void> {
  const failure = await failureOf(served, parts);
  if (failure && failure !== 'busy')
    await change(served, { to: 'crashed', why: failure.detail, log: failure.logTail }, parts);
}

async function checkCrashed(served: Served, parts: LambdaPlatformParts): Promise<void> {
  const failure = await failureOf(served, parts);
  if (failure === 'busy') return;
  if (!failure) return change(served, { to: 'running', why: null, log: [] }, parts);
  if (served.item.state !== 'crashed') await writeState(served, 'crashed', parts);
}

function functionOf({ group }: EndedInstance): string | null {
  const [name = ''] = group.split('/').slice(-1);
  return group === logGroupOf(name) ? name : null;
}

/** Returns the application if the instance is of its serving version; its stream is `2026/11/22/[<version>]<id>`. */
async function servedBy(app: AppRef, { stream }: EndedInstance, parts: LambdaPlatformParts): Promise<Served | null> {
  const served = await servedOf({ user: app.user, app: app.app }, parts);
  const [, version] = /\[(\d+)\]/.exec(stream) ?? [];
  return served?.item.version === version ? served : null;
}

async function servedOf(app: AppRef, { table }: LambdaPlatformParts): Promise<Served | null> {
  const item = await table.read(keys.app(app));
  const { version, snapshot } = item ?? {};
  return item && version && snapshot ? { app, item: { ...item, version, snapshot } } : null;
}

/** Returns whether this run is the one that checks: several runs may be notified of one crash. */
async function claim({ app, item }: Served, everyMs: number, { table, clock }: LambdaPlatformParts): Promise<boolean> {
  const { asked } = item;
  if (asked !== undefined && clock.now() - asked < everyMs) return false;
  return table.write(keys.app(app), { asked: clock.now() }, { attribute: 'asked', is: asked ?? null });
}

/** Returns why an application does not answer, without the values of its variables; null when it does. */
async function failureOf({ app, item }: Served, parts: LambdaPlatformParts) {
  const name = functionName(parts.functionPrefix, app);
  const { path = '' } = (await parts.table.read(keys.snapshot({ ...app, snapshot: item.snapshot }))) ?? {};
  try {
    await tryVersion({ name, version: item.version, path, limitMs: ANSWER_LIMIT_MS }, parts);
    return null;
  } catch (error) {
    // As many of its requests run as may: the next check may find a place.
    if (throttledBy(error) !== undefined) return 'busy';
    if (!(error instanceof DeployError)) throw error;
    const variables = await variableSeal(parts).open(app, item.variables);
    const [detail = '', ...logTail] = masked([error.detail, ...error.logTail], variables);
    return { detail, logTail };
  }
}

async function writeState({ app, item }: Served, state: Change['to'], { table }: LambdaPlatformParts): Promise<void> {
  await table.write(keys.app(app), { state }, { attribute: 'version', is: item.version });
}

interface Change {
  readonly to: AppEvent['state'];
  readonly why: string | null;
  readonly log: readonly string[];
}

/**
 * Records a change only while the checked version still serves: a deploy may have replaced it. `crashed` is recorded
 * before all else and withdrawn last, because `recheck` reads the event: after an interrupted run it checks again, and
 * the same event twice changes nothing.
 */
async function change({ app, item }: Served, { to, why, log }: Change, parts: LambdaPlatformParts): Promise<void> {
  const now = parts.clock.now();
  if ((await parts.table.read(keys.app(app)))?.version !== item.version) return;
  const reason = why === null ? null : `The application crashed and does not start again: ${why.replace(/\.$/, '')}.`;
  const writes = [
    () => recordEvent(parts.table, { ...app, snapshot: item.snapshot, seq: now, state: to, reason, log }),
    () => writeState({ app, item }, to, parts),
  ];
  for (const write of to === 'crashed' ? writes : writes.reverse()) await write();
  const name = functionName(parts.functionPrefix, app);
  await note(name, why === null ? `${item.snapshot} answers again` : `${item.snapshot} crashed: ${why}`, parts);
}

/** An application may print the line of an ended instance itself: it can cause one run in this time, not one a line. */
const QUIET_MS = 60_000;

type QuietParts = Pick<LambdaPlatformParts, 'table' | 'logs' | 'clock'>;

/** Stops the notifications of a function's log for a minute. The item is written first, so that `listenAgain` ends the pause. */
async function beQuiet(name: string, parts: QuietParts): Promise<void> {
  await parts.table.write(keys.quiet(name), { since: parts.clock.now() });
  await unwatchLog(name, parts);
}

/** Starts the notifications of the logs again whose minute is over. */
async function listenAgain(logs: readonly Stored<WatchedLog>[], parts: QuietParts): Promise<void> {
  const { table, clock } = parts;
  const endAt = clock.now() + LOGS_MS;
  for (const { sk: name, since } of logs) {
    if (since === undefined || clock.now() - since < QUIET_MS) continue;
    if (clock.now() > endAt) return;
    const { watcher } = (await table.read(keys.function(name))) ?? {};
    if (watcher !== undefined) await unless('ResourceNotFoundException', watchLog(name, watcher, parts));
    // Unless it became quiet again at this moment.
    await table.remove(keys.quiet(name), { attribute: 'since', is: since });
  }
}

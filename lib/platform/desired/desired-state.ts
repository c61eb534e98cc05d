import { forEachLimit } from '../../../functions/core/concurrency.ts';
import { turnsByUser } from '../../../functions/core/places.ts';
import { messageOf, sentenceOf } from '../../http/http-error.ts';
import { type Act, type AppId, type AppSpec, type AppState, appKey, type RunnerCalls } from '../../runner/calls.ts';
import type { Builder } from '../build/builder.ts';
import type { Log } from '../settings.ts';
import type { ServedUsers } from '../store/served-users.ts';
import { describeApp, readRelease } from './describe.ts';
import { type OperationParts, operationsOf, Starts } from './operations.ts';

export type States = ReadonlyMap<string, AppState>;

export type DesiredState = ReturnType<typeof desiredState>;

interface DesiredParts extends Omit<OperationParts, 'starts'> {
  readonly users: ServedUsers;
  readonly log: Log;
  readonly builder: Pick<Builder, 'rebuild' | 'stop'>;
}

/** Each opens some files. */
const DESCRIBED_AT_ONCE = 16;
/** The runner has turns for the starts themselves. */
const STARTED_AT_ONCE = 100;
/** Each may take the time that its requests and processes have to end. */
const ENDED_AT_ONCE = 16;
const REBUILT_AT_ONCE = 3;

export function desiredState(parts: DesiredParts) {
  const { apps, log, users } = parts;
  /** Starts nothing of a user who was removed after the call was let in. */
  const calls: RunnerCalls = {
    ...parts.calls,
    apply: async (spec, act) => {
      if (act) await users.check(spec.user);
      return parts.calls.apply(spec, act);
    },
    run: async (spec, ...how) => {
      await users.check(spec.user);
      return parts.calls.run(spec, ...how);
    },
  };
  /** Applications that are started again once they are built, unless they are started or stopped before. */
  const awaited = new Set<string>();
  const starts = new Starts();
  const startTurns = turnsByUser(STARTED_AT_ONCE);
  const rebuildTurns = turnsByUser(REBUILT_AT_ONCE);
  let closed = false;
  const said = (error: unknown) => log({ type: 'platform.error', detail: messageOf(error) });
  const failed = (app: AppId) => (error: unknown) => log({ type: 'app.error', ...app, detail: messageOf(error) });
  /** Returns the description of an application as it is recorded now; null when it was never started. */
  const specOf = async (app: AppId): Promise<AppSpec | null> => {
    const stored = await apps.find(app);
    if (!stored || (stored.active ?? stored.next) === null) return null;
    const release = stored.active === null ? null : await readRelease(parts, app, stored.active).catch(() => null);
    return describeApp(parts, app, release);
  };
  /** Describes it to the runner, and acts. */
  const apply = async (app: AppId, act?: Act): Promise<void> => {
    const spec = await specOf(app);
    if (spec) await calls.apply(spec, act);
  };
  /** Returns what runs of a user's applications, or of one; nothing of those that were not described. */
  const states = async (of: Partial<AppId>): Promise<States> =>
    new Map((await calls.states(of)).map((one) => [appKey(one), one]));
  const of = (app: AppId) => operationsOf({ ...parts, calls, starts }, app, () => awaited.delete(appKey(app)));
  /** Starts a release whose start was cut off: it may have answered already. When it fails, the one before is live. */
  const startNext = async (app: AppId) => {
    const { next, active, wanted } = (await apps.find(app)) ?? {};
    if (!next || !active || wanted !== 'running') return;
    // It is being started again when only the runner was killed.
    await starts.recorded(app, next);
    if ((await apps.find(app))?.next === next) await of(app).start(next).catch(failed(app));
  };
  const resumeOne = async (app: AppId) => {
    await startNext(app);
    const stored = await apps.find(app);
    if (!stored || stored.active === null) return;
    if (stored.wanted !== 'running') {
      await apply(app);
      if (((await states(app)).get(appKey(app))?.state ?? 'stopped') !== 'stopped') await calls.stop(app);
      return;
    }
    awaited.add(appKey(app));
    if ((await parts.snapshots.find(app, stored.active))?.state !== 'ready') {
      await apply(app, { is: 'resume' });
      const { active } = stored;
      const rebuild = () => users.check(app.user).then(() => parts.builder.rebuild(app, active));
      await rebuildTurns(app.user, () => rebuild().catch(failed(app)));
    }
    if (!awaited.delete(appKey(app))) return;
    const release = await readRelease(parts, app, stored.active).catch(sentenceOf);
    const missing = typeof release === 'string' ? { snapshot: stored.active, why: release } : undefined;
    await apply(app, { is: 'resume', missing });
    if (typeof release === 'string') return;
    parts.onStarted(app);
    parts.onMade(app, { release, scale: stored.scale });
  };
  /** Starts an application again that was running; a failure goes to its log. */
  const begin = (app: AppId) => resumeOne(app).catch(failed(app));
  /**
   * Describes to the runner all applications that were started before. What ran of these users is resumed after that: its
   * requests wait.
   */
  const describeAll = async (resumed?: readonly string[]) => {
    await forEachLimit(await present(parts), DESCRIBED_AT_ONCE, async (app) => {
      const isResumed = resumed?.includes(app.user) ?? true;
      const ran = isResumed && (await apps.find(app))?.wanted === 'running';
      await apply(app, ran ? { is: 'resume', later: true } : undefined).catch(failed(app));
    });
    await calls.begin();
  };
  /**
   * Ends what the runner, which may have outlived the service, has of applications that were removed meanwhile, and of users who
   * are not served: the ports of these stay taken.
   */
  const endOthers = async () => {
    const there = await calls.states();
    const [recorded, served] = [new Set((await apps.list()).map(appKey)), await users.list()];
    await forEachLimit(there, ENDED_AT_ONCE, async (app) => {
      if (!recorded.has(appKey(app))) await calls.remove(app).catch(failed(app));
      else if (!served.includes(app.user)) await calls.stop(app, true).catch(failed(app));
    });
  };
  /**
   * Starts a user's applications that were running, or those of all; failures go to their logs. Those that run are left as they
   * are.
   */
  const resume = async (user?: string) => {
    const all = await present(parts, user);
    const starts = all.map((app) => startTurns(app.user, async () => void (closed || (await begin(app)))));
    await Promise.all([...starts, user === undefined && endOthers().catch(said)]);
  };
  return {
    of,
    /** Resolves when the start of a snapshot has been recorded, if one is under way. */
    recorded: (app: AppId, snapshot: string) => starts.recorded(app, snapshot),
    /** Describes an application to the runner as it is recorded now, if it was started before. */
    states,
    describe: (app: AppId) => apply(app),
    /** Ends the application's processes; the runner forgets it. */
    remove: (app: AppId) => {
      awaited.delete(appKey(app));
      return calls.remove(app);
    },
    begin,
    describeAll,
    resume,
    /**
     * Runs the applications of these users and of no others. Those of the others end, and run again when the user is among the
     * names again. Calls for the others are refused first, so that nothing is started again meanwhile.
     */
    serve: async (names: readonly string[]) => {
      const before = await users.list();
      const added = names.filter((user) => !before.includes(user));
      const gone = before.filter((user) => !names.includes(user));
      users.set(names);
      if (added.length + gone.length === 0) return;
      await Promise.all([endOthers().catch(said), ...gone.map(parts.builder.stop)]);
      // The names of applications of an only user are shorter.
      await describeAll(added).catch(said);
      // Some may take minutes to answer.
      for (const user of added) resume(user).catch(said);
    },
    /** Starts nothing any more. */
    close: async () => {
      closed = true;
    },
  };
}

/** Returns the applications of a user, or of all. */
async function present({ apps, users }: DesiredParts, user?: string): Promise<readonly AppId[]> {
  const owners = user === undefined ? await users.list() : [user];
  return (await Promise.all(owners.map(apps.list))).flat();
}

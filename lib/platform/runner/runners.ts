import { forEachLimit } from '../../../functions/core/concurrency.ts';
import { turnsByUser } from '../../../functions/core/places.ts';
import { messageOf, sentenceOf } from '../../http/http-error.ts';
import { type AppId, appKey } from '../../runner/calls.ts';
import type { Log } from '../settings.ts';
import type { ServedUsers } from '../store/served-users.ts';
import { type RunnerParts, runnerOf, Starts } from './runner.ts';
import { readRelease, toldApp } from './told.ts';

export type Runners = ReturnType<typeof runners>;

interface RunnersParts extends Omit<RunnerParts, 'starts'> {
  readonly users: ServedUsers;
  readonly log: Log;
  /** Builds the release of a snapshot again when it is gone. */
  readonly rebuild: (app: AppId, snapshot: string) => Promise<void>;
}

/** Each opens some files. */
const TOLD_AT_ONCE = 16;
/** The runner has turns for the starts themselves. */
const STARTED_AT_ONCE = 100;
const REBUILT_AT_ONCE = 3;

export function runners(parts: RunnersParts) {
  const { calls, apps, log, users } = parts;
  /** Applications that are started again once they are built, unless they are started or stopped before. */
  const awaited = new Set<string>();
  const starts = new Starts();
  const startTurns = turnsByUser(STARTED_AT_ONCE);
  const rebuildTurns = turnsByUser(REBUILT_AT_ONCE);
  let closed = false;
  const failed = (app: AppId) => (error: unknown) => log({ type: 'app.error', ...app, detail: messageOf(error) });
  /** Tells the runner what is recorded of an application now, if it has been started before. */
  const tell = async (app: AppId): Promise<void> => {
    const stored = await apps.find(app);
    if (!stored || stored.active === null) return;
    const release = await readRelease(parts, app, stored.active).catch(() => null);
    await calls.tell(await toldApp(parts, app, stored, release));
  };
  const of = (app: AppId) => runnerOf({ ...parts, starts }, app, () => awaited.delete(appKey(app)));
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
    await tell(app);
    if (stored.wanted !== 'running') {
      if ((await calls.state(app)) !== 'stopped') await calls.stop(app);
      return;
    }
    awaited.add(appKey(app));
    if ((await parts.snapshots.find(app, stored.active))?.state !== 'ready') {
      await calls.resume(app);
      const { active } = stored;
      await rebuildTurns(app.user, () => parts.rebuild(app, active).catch(failed(app)));
      await tell(app);
    }
    if (!awaited.delete(appKey(app))) return;
    const missing = await readRelease(parts, app, stored.active).then(() => undefined, sentenceOf);
    await calls.resume(app, missing === undefined ? undefined : { snapshot: stored.active, why: missing });
    parts.onStarted(app, stored.active);
  };
  /** Starts an application again that was running; a failure goes to its log. */
  const begin = (app: AppId) => resumeOne(app).catch(failed(app));
  /** Ends all processes of an application, one-off commands too, and records nothing. */
  const end = async (app: AppId) => {
    awaited.delete(appKey(app));
    await Promise.all([calls.stop(app), calls.endRuns(app)]);
  };
  /** Tells the runner of all applications that have been started before. */
  const tellAll = async () => {
    await forEachLimit(await present(parts), TOLD_AT_ONCE, (app) => tell(app).catch(failed(app)));
    await calls.begin();
  };
  /**
   * Starts a user's applications that were running, or those of all; failures go to their logs. Those that run are left as they
   * are.
   */
  const resume = async (user?: string) => {
    const all = await present(parts, user);
    if (user === undefined) await removeOthers(parts);
    const starts = all.map((app) => startTurns(app.user, async () => void (closed || (await begin(app)))));
    await Promise.all(starts);
  };
  return {
    of,
    /** Resolves when the start of a snapshot has been recorded, if one is under way. */
    recorded: (app: AppId, snapshot: string) => starts.recorded(app, snapshot),
    tell,
    /** Ends the application's processes and has it forgotten. */
    remove: (app: AppId) => {
      awaited.delete(appKey(app));
      return calls.remove(app);
    },
    begin,
    tellAll,
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
      for (const user of gone) for (const app of await apps.list(user)) await end(app);
      // The names of applications of an only user are shorter.
      await tellAll();
      for (const user of added) {
        // Some may take minutes to answer.
        resume(user).catch((error) => log({ type: 'platform.error', user, detail: messageOf(error) }));
      }
    },
    /** Starts nothing any more. */
    close: async () => {
      closed = true;
    },
  };
}

/** Returns the applications of a user, or of all. */
async function present({ apps, users }: RunnersParts, user?: string): Promise<readonly AppId[]> {
  const owners = user === undefined ? await users.list() : [user];
  return (await Promise.all(owners.map(apps.list))).flat();
}

/** Ends what a runner has of applications that were removed when the service was killed. */
async function removeOthers({ calls, apps }: RunnersParts): Promise<void> {
  const recorded = new Set((await apps.list()).map(appKey));
  for (const app of await calls.states()) if (!recorded.has(appKey(app))) await calls.remove(app);
}

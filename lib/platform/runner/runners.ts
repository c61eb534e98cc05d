import type { PrintedLine } from '../../../functions/api/shapes/log.ts';
import type { Process, SentProcesses } from '../../../functions/api/shapes/processes.ts';
import type { RunInput, RunStart, RunStarted, Said } from '../../../functions/api/shapes/runs.ts';
import { forEachLimit, keyedMutex } from '../../../functions/core/concurrency.ts';
import type { DiskReserve } from '../../files/disk-reserve.ts';
import { HttpError, messageOf } from '../../http/http-error.ts';
import type { LogQuery, RunnerCalls, ToldRelease } from '../../runner/calls.ts';
import { changedScale } from '../../runner/processes/scale.ts';
import type { Log } from '../settings.ts';
import type { Apps, StoredApp } from '../store/apps.ts';
import { type AppName, appKey } from '../store/names.ts';
import { readRelease, type ToldParts, toldApp } from './told.ts';
import { lossOf, NOTHING_WRITTEN, type Written, writtenBy } from './written.ts';

/** One application in the runner. What it does is recorded, and what is recorded the runner is told. */
export interface Runner {
  state(): Promise<Process['state']>;
  /**
   * Starts the snapshot unless it serves already. When that fails, throws an HttpError and keeps the old one. Returns what is
   * lost with the old one, in a sentence, if anything is.
   */
  start(snapshot: string): Promise<string | undefined>;
  /** Starts the active snapshot again, with the current variables. */
  restart(): Promise<void>;
  /** Ends the application; a start in progress is cancelled. */
  stop(): Promise<void>;
  processes(): Promise<SentProcesses>;
  /** Changes how many processes run of some types, also for later releases. Throws 400 for what cannot be. */
  scale(change: Readonly<Record<string, unknown>>): Promise<void>;
  logs(query: LogQuery, signal: AbortSignal): Promise<AsyncIterable<readonly PrintedLine[]>>;
  /** Starts a command in the release that is live. */
  run(run: RunStart): Promise<RunStarted>;
  said(id: string, signal: AbortSignal): Promise<AsyncIterable<readonly Said[]>>;
  input(id: string, input: RunInput): Promise<void>;
}

export interface Runners {
  of(app: AppName): Runner;
  /** Tells the runner what is recorded of an application now, if it has been started before. */
  tell(app: AppName): Promise<void>;
  /** Tells the runner of all applications that have been started before. */
  tellAll(): Promise<void>;
  /** Ends all processes of an application, one-off commands too, and records nothing. */
  end(app: AppName): Promise<void>;
  /** Ends the application's processes and has it forgotten. */
  remove(app: AppName): Promise<void>;
  /** Starts an application again that was running, under its new name; a failure goes to its log. */
  begin(app: AppName): Promise<void>;
  /**
   * Starts a user's applications that were running, or those of all; failures go to their logs. Those that
   * run are left as they are.
   */
  resume(user?: string): Promise<void>;
  /** Resolves when the start of a snapshot has been recorded, if one is under way. */
  recorded(app: AppName, snapshot: string): Promise<void>;
  /** Starts nothing any more. */
  close(): Promise<void>;
}

export interface RunnersParts extends ToldParts {
  readonly calls: RunnerCalls;
  readonly apps: Apps;
  readonly reserve: Pick<DiskReserve, 'use'>;
  readonly log: Log;
  /** Builds the release of a snapshot again when it is gone. */
  readonly rebuild: (app: AppName, snapshot: string) => Promise<void>;
  /** Called when a release was started. */
  readonly onStarted: (app: AppName, snapshot: string) => void;
}

/** Each opens some files. */
const TOLD_AT_ONCE = 16;
/** The runner has turns for the starts themselves. */
const STARTED_AT_ONCE = 100;
const REBUILT_AT_ONCE = 3;

export function runners(parts: RunnersParts): Runners {
  const { calls, apps, log } = parts;
  /** Applications that are started again once they are built, unless they are started or stopped before. */
  const awaited = new Set<string>();
  const starts = new Starts();
  const inTurn = keyedMutex();
  let rebuilds = 0;
  let closed = false;
  const failed = (app: AppName) => (error: unknown) => log({ type: 'app.error', ...app, detail: messageOf(error) });
  const tell = async (app: AppName) => {
    const stored = await apps.find(app);
    if (!stored || stored.active === null) return;
    const release = await readRelease(parts, app, stored.active).catch(() => null);
    await calls.tell(await toldApp(parts, app, stored, release));
  };
  const resumeOne = async (app: AppName) => {
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
      rebuilds += 1;
      await inTurn(String(rebuilds % REBUILT_AT_ONCE), () => parts.rebuild(app, active).catch(failed(app)));
      await tell(app);
    }
    if (!awaited.delete(appKey(app))) return;
    const missing = await readRelease(parts, app, stored.active).then(() => undefined, messageOf);
    await calls.resume(app, missing === undefined ? undefined : { snapshot: stored.active, why: missing });
    parts.onStarted(app, stored.active);
  };
  const begin = (app: AppName) => resumeOne(app).catch(failed(app));
  return {
    of: (app) => runnerOf({ ...parts, tell, starts }, app, () => awaited.delete(appKey(app))),
    recorded: (app, snapshot) => starts.recorded(app, snapshot),
    tell,
    end: async (app) => {
      awaited.delete(appKey(app));
      await Promise.all([calls.stop(app), calls.endRuns(app)]);
    },
    remove: (app) => {
      awaited.delete(appKey(app));
      return calls.remove(app);
    },
    begin,
    tellAll: async () => {
      await forEachLimit(await present(parts), TOLD_AT_ONCE, (app) => tell(app).catch(failed(app)));
      await calls.begin();
    },
    resume: async (user) => {
      const all = await present(parts, user);
      if (user === undefined) await removeOthers(parts);
      await forEachLimit(all, STARTED_AT_ONCE, async (app) => {
        if (!closed) await begin(app);
      });
    },
    close: async () => {
      closed = true;
    },
  };
}

/** Starts that are not recorded yet. */
class Starts {
  readonly #all = new Map<string, Promise<unknown>>();

  add<T>(app: AppName, snapshot: string, work: () => Promise<T>): Promise<T> {
    const key = `${appKey(app)} ${snapshot}`;
    const done = work().finally(() => this.#all.delete(key));
    this.#all.set(key, done);
    return done;
  }

  async recorded(app: AppName, snapshot: string): Promise<void> {
    await this.#all.get(`${appKey(app)} ${snapshot}`)?.catch(() => undefined);
  }
}

type RunnerOfParts = RunnersParts & Pick<Runners, 'tell'> & { readonly starts: Starts };

function runnerOf(parts: RunnerOfParts, app: AppName, taken: () => void): Runner {
  const { calls, apps, reserve } = parts;
  /** Tells of the application, and returns its record. Throws 409 before its first start, and as `readRelease` does. */
  const told = async () => {
    const stored = await apps.get(app);
    if (stored.active === null) throw new HttpError(409, `${app.app} has not been started yet.`);
    const release = await readRelease(parts, app, stored.active);
    await calls.tell(await toldApp(parts, app, stored, release));
    return { ...stored, release };
  };
  const isRunning = async (fields: Partial<StoredApp>) => {
    const { active, wanted, port } = await apps.get(app);
    const changed = { active, port, ...fields, wanted: 'running' as const };
    const isNew = changed.active !== active || changed.port !== port || wanted !== 'running';
    if (isNew) await apps.change(app, changed);
  };
  const start = async (snapshot: string) => {
    const stored = await apps.get(app);
    const release = await readRelease(parts, app, snapshot);
    const before = stored.active === null ? null : await readRelease(parts, app, stored.active).catch(() => null);
    const lost = before?.snapshot === snapshot ? undefined : lossOf(await writtenIn(parts, app, before));
    taken();
    await calls.tell(await toldApp(parts, app, stored, before));
    const port = await calls.start(app, release);
    await isRunning({ active: snapshot, port }).catch(async (error: unknown) => {
      // What serves is what the next start of the platform finds.
      await (before ? calls.start(app, before) : calls.stop(app));
      throw error;
    });
    parts.onStarted(app, snapshot);
    return lost;
  };
  return {
    state: () => calls.state(app),
    start: (snapshot) => parts.starts.add(app, snapshot, () => start(snapshot)),
    restart: async () => {
      const { release } = await told();
      taken();
      await calls.restart(app);
      await isRunning({});
      parts.onStarted(app, release.snapshot);
    },
    stop: async () => {
      taken();
      // It ends before that is written: it may be what fills the disk.
      await calls.stop(app);
      await reserve.use(() => apps.change(app, { wanted: 'stopped' }));
    },
    processes: async () => {
      const { active, scale } = await apps.get(app);
      if (active === null) return { processes: [], cron: [], scale };
      await parts.tell(app);
      return calls.processes(app);
    },
    scale: async (change) => {
      const { release } = await told();
      const { types } = release;
      const { scale } = await apps.change(app, ({ scale }) => ({
        scale: changedScale(app.app, { types, scale }, change),
      }));
      await calls.scale(app, scale);
    },
    logs: async (query, signal) => {
      // A first start may have failed, of which the runner was not told since.
      await calls.tell(await toldApp(parts, app, await apps.get(app), null));
      return calls.logs(app, query, signal);
    },
    run: async (run) => {
      await told();
      return calls.run(app, run);
    },
    said: (id, signal) => calls.said(app, id, signal),
    input: (id, input) => calls.input(app, id, input),
  };
}

/** Returns what a release has written into itself. */
async function writtenIn({ snapshots }: RunnersParts, app: AppName, release: ToldRelease | null): Promise<Written> {
  const builtAt = release && (await snapshots.find(app, release.snapshot))?.built_at;
  return release && builtAt ? writtenBy({ ...release, since: Date.parse(builtAt) }) : NOTHING_WRITTEN;
}

/** Returns the applications of a user, or of all. */
async function present({ apps, users }: RunnersParts, user?: string): Promise<readonly AppName[]> {
  const owners = user === undefined ? await users.list() : [user];
  return (await Promise.all(owners.map(apps.list))).flat();
}

/** Ends what a runner has of applications that were removed when the service was killed. */
async function removeOthers({ calls, apps }: RunnersParts): Promise<void> {
  const known = new Set((await apps.list()).map(appKey));
  for (const app of await calls.states()) if (!known.has(appKey(app))) await calls.remove(app);
}

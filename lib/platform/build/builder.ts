import type { GroupRegistry } from '../../processes/group-registry.ts';
import { messageOf } from '../http-error.ts';
import type { OwnEnvironment } from '../run/child-environment.ts';
import { readStartManifest } from '../run/start-command.ts';
import type { Limits, Log } from '../settings.ts';
import type { Folders } from '../store/folders.ts';
import { type AppName, appKey } from '../store/names.ts';
import type { Snapshot, Snapshots } from '../store/snapshots.ts';
import { masked, type VariableStore } from '../store/variables.ts';
import type { Dependencies } from './dependencies.ts';
import { extract } from './extract.ts';
import { runNpm } from './install.ts';

/** Turns uploaded tarballs into releases that can be started. */
export interface Builder {
  /** Begins to build the snapshot unless that is done or under way; what failed is tried again. Gives the state. */
  activate(app: AppName, id: string): Promise<Snapshot>;
  /** The state. A building that an earlier platform did not finish goes on. `waitMs`: until it is over, at most so long. */
  look(app: AppName, id: string, waitMs: number): Promise<Snapshot>;
  /** Ends the application's buildings, or all, and waits until they are gone. */
  callOff(app?: AppName): Promise<void>;
}

/** What a builder works with. */
export interface BuilderParts {
  readonly own: OwnEnvironment;
  readonly folders: Folders;
  readonly groups: GroupRegistry;
  readonly snapshots: Snapshots;
  readonly variables: VariableStore;
  readonly dependencies: Dependencies;
  readonly npmCache: string;
  readonly limits: Limits;
  readonly log: Log;
}

interface Job {
  readonly app: string;
  readonly stop: AbortController;
  readonly done: Promise<Snapshot>;
}

const logLines = 200;

/** Makes the builder. Its jobs live in this process; their states are files, so that a later process knows what to do. */
export function builder(parts: BuilderParts): Builder {
  const jobs = new Map<string, Job>();
  const begin = (app: AppName, snapshot: Snapshot): Job => {
    const key = `${appKey(app)}/${snapshot.id}`;
    const known = jobs.get(key);
    if (known) return known;
    const stop = new AbortController();
    const done = build(parts, app, snapshot, stop.signal).finally(() => jobs.delete(key));
    // Whoever waits for it gets the error; nobody may be waiting.
    done.catch((error: unknown) => parts.log({ type: 'snapshot.error', ...app, detail: messageOf(error) }));
    const job = { app: appKey(app), stop, done };
    jobs.set(key, job);
    return job;
  };
  const look = async (app: AppName, id: string, waitMs: number) => {
    const snapshot = await parts.snapshots.get(app, id);
    if (snapshot.state !== 'building') return snapshot;
    const job = begin(app, snapshot);
    return waitMs > 0 ? within(job.done, waitMs, snapshot) : snapshot;
  };
  return {
    activate: async (app, id) => {
      const snapshot = await parts.snapshots.get(app, id);
      if (snapshot.state === 'ready') return snapshot;
      begin(app, snapshot);
      return { ...snapshot, state: 'building', reason: null };
    },
    look: async (app, id, waitMs) => {
      const job = jobs.get(`${appKey(app)}/${id}`);
      // The job is known a moment before its state is a file.
      if (!job) return look(app, id, waitMs);
      const building = { ...(await parts.snapshots.get(app, id)), state: 'building' as const, reason: null };
      return waitMs > 0 ? within(job.done, waitMs, building) : building;
    },
    callOff: async (app) => {
      const mine = [...jobs.values()].filter((job) => app === undefined || job.app === appKey(app));
      for (const job of mine) job.stop.abort();
      await Promise.allSettled(mine.map((job) => job.done));
    },
  };
}

async function build(parts: BuilderParts, app: AppName, snapshot: Snapshot, signal: AbortSignal): Promise<Snapshot> {
  const { snapshots, log } = parts;
  const began = performance.now();
  const lines: string[] = [];
  const about = { user: app.user, app: app.app, snapshot: snapshot.id };
  const building: Snapshot = { ...snapshot, state: 'building', reason: null, log: [] };
  await snapshots.write(app, building);
  const outcome = await work(parts, app, snapshot, { lines, signal }).then(
    (dependencies) => ({ state: 'ready' as const, dependencies, reason: null }),
    (error: unknown) => ({ state: 'failed' as const, dependencies: null, reason: messageOf(error) }),
  );
  // Called off means that the platform stops or the application goes: the state stays, so that the next start goes on.
  if (signal.aborted) return building;
  const values = await parts.variables.read(app);
  const [reason = null] = outcome.reason === null ? [] : masked([outcome.reason], values);
  const done: Snapshot = { ...building, ...outcome, reason, log: masked(lines, values) };
  await snapshots.write(app, done);
  log({
    type: `snapshot.${done.state}`,
    ...about,
    detail: reason ?? `dependencies: ${done.dependencies}`,
    milliseconds: performance.now() - began,
  });
  return done;
}

async function work(
  parts: BuilderParts,
  app: AppName,
  snapshot: Snapshot,
  { lines, signal }: { readonly lines: string[]; readonly signal: AbortSignal },
): Promise<string> {
  const { own, groups, limits, npmCache, snapshots } = parts;
  const folder = parts.folders.ofApp(app);
  const { release, tarball } = folder.snapshot(snapshot.id);
  await extract(tarball, release, limits);
  // An application that cannot be started is better refused here than after minutes of installing.
  await readStartManifest(release);
  const line = (text: string) => {
    lines.push(text.slice(0, 2_000));
    if (lines.length > logLines) lines.shift();
  };
  return parts.dependencies.provide(
    folder,
    snapshot.id,
    await earlier(snapshots, app, snapshot.id),
    async (command) => {
      const variables = await parts.variables.read(app);
      const what = `${appKey(app)} npm`;
      await runNpm(own, groups, {
        command,
        what,
        release,
        npmCache,
        variables,
        milliseconds: limits.installMs,
        line,
        signal,
      });
    },
  );
}

async function earlier(snapshots: Snapshots, app: AppName, id: string): Promise<readonly string[]> {
  const list = await snapshots.list(app);
  return list.flatMap((one) => (one.state === 'ready' && one.id !== id ? [one.id] : []));
}

/** The result if it comes in time, else what is known now. */
async function within(done: Promise<Snapshot>, milliseconds: number, now: Snapshot): Promise<Snapshot> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Snapshot>((resolve) => {
    timer = setTimeout(resolve, milliseconds, now);
  });
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { keyedMutex } from '../../processes/keyed-mutex.ts';
import { HttpError, messageOf } from '../http-error.ts';
import type { Log } from '../settings.ts';
import { type AppName, appKey } from '../store/names.ts';
import type { Snapshot } from '../store/snapshots.ts';
import { masked, type VariableStore, type Variables } from '../store/variables.ts';
import type { Build, ReleaseMaker } from './build.ts';
import { type BuildLog, buildLog } from './build-log.ts';
import { type Made, makeRelease } from './make-release.ts';

/** Builds uploaded tarballs into releases that can be started. */
export interface Builder {
  /**
   * Starts to build the snapshot, unless its build has ended or runs. Returns its state. 409 when it is built for another
   * `path`.
   */
  activate(app: AppName, id: string, options?: { readonly path?: string }): Promise<Snapshot>;
  /**
   * Returns the state, with `waitMs` when the build has ended or after that time. Resumes a build of an earlier
   * process.
   */
  status(app: AppName, id: string, waitMs: number): Promise<Snapshot>;
  /** Returns the output of the build while it runs, else `undefined`. */
  log(app: AppName, id: string): Promise<BuildLog | undefined>;
  /**
   * Ends the build for good, and resolves when its processes are gone: the snapshot is `failed`. One that has not been
   * activated yet is `failed` at once; one that has been built stays.
   */
  cancel(app: AppName, id: string): Promise<Snapshot>;
  /** Ends the builds of the application, or all of them, and waits until their processes are gone. */
  stop(app?: AppName): Promise<void>;
}

/** Dependencies of a builder. */
export interface BuilderParts extends ReleaseMaker {
  readonly variables: VariableStore;
  readonly log: Log;
}

/** Why a build is ended: its deploy was cancelled, or the platform stops or the application is removed. */
type StopReason = 'cancelled' | 'stopped';

const CANCELLED = 'The build was cancelled.';

interface Job {
  readonly app: string;
  readonly stop: AbortController;
  readonly output: Promise<BuildLog>;
  readonly done: Promise<Snapshot>;
}

/**
 * Returns the builder. Its jobs are in this process; the state of a build is a file, from which a later process
 * resumes.
 */
export function builder(parts: BuilderParts): Builder {
  const jobs = new Map<string, Job>();
  const inTurn = keyedMutex();
  const begin = (app: AppName, snapshot: Snapshot): Job => {
    const key = `${appKey(app)}/${snapshot.id}`;
    const known = jobs.get(key);
    if (known) return known;
    const stop = new AbortController();
    const prepared = prepare(parts, app, { snapshot, signal: stop.signal });
    const done = prepared.then((one) => build(parts, one)).finally(() => jobs.delete(key));
    const output = prepared.then((one) => one.log);
    // It may have no reader.
    output.catch(() => undefined);
    // Callers that wait get the error as well; there may be none.
    done.catch((error: unknown) => parts.log({ type: 'snapshot.error', ...app, detail: messageOf(error) }));
    const job = { app: appKey(app), stop, output, done };
    jobs.set(key, job);
    return job;
  };
  return {
    activate: (app, id, { path } = {}) =>
      inTurn(`${appKey(app)}/${id}`, async () => {
        const snapshot = await parts.snapshots.get(app, id);
        const asked = { ...snapshot, path: path ?? snapshot.path };
        if (asked.path !== snapshot.path && snapshot.state === 'ready') {
          throw new HttpError(
            409,
            `The snapshot ${id} is built for ${shownPath(snapshot.path)}, not ${shownPath(asked.path)}.`,
          );
        }
        if (snapshot.state === 'ready' || snapshot.state === 'failed') return snapshot;
        begin(app, asked);
        return { ...asked, state: 'building', reason: null };
      }),
    status: async (app, id, waitMs) => {
      const running = jobs.get(`${appKey(app)}/${id}`);
      const snapshot = await parts.snapshots.get(app, id);
      if (!running && snapshot.state !== 'building') return snapshot;
      const job = running ?? begin(app, snapshot);
      // A new job has not written its state yet.
      const building = { ...snapshot, state: 'building' as const, reason: null };
      return waitMs > 0 ? within(job.done, waitMs, building) : building;
    },
    log: async (app, id) => jobs.get(`${appKey(app)}/${id}`)?.output,
    cancel: (app, id) =>
      inTurn(`${appKey(app)}/${id}`, async () => {
        const job = jobs.get(`${appKey(app)}/${id}`);
        job?.stop.abort('cancelled' satisfies StopReason);
        await job?.done;
        const snapshot = await parts.snapshots.get(app, id);
        if (snapshot.state === 'ready' || snapshot.state === 'failed') return snapshot;
        const cancelled: Snapshot = { ...snapshot, state: 'failed', reason: CANCELLED };
        await parts.snapshots.write(app, cancelled);
        return cancelled;
      }),
    stop: async (app) => {
      const stopped = [...jobs.values()].filter((job) => app === undefined || job.app === appKey(app));
      for (const job of stopped) job.stop.abort('stopped' satisfies StopReason);
      await Promise.allSettled(stopped.map((job) => job.done));
    },
  };
}

/** Opens the log of a build and reads the variables, whose values it must not show. */
async function prepare(
  { folders, variables }: BuilderParts,
  app: AppName,
  { snapshot, signal }: Pick<Build, 'snapshot' | 'signal'>,
): Promise<Build> {
  const values = await variables.read(app);
  const { log, release } = folders.ofApp(app).snapshot(snapshot.id);
  await mkdir(dirname(log), { recursive: true });
  const text = (line: string) => shown(line, { release, values });
  return { app, snapshot, signal, variables: values, log: buildLog(log, text) };
}

async function build(parts: BuilderParts, one: Build): Promise<Snapshot> {
  const { app, snapshot, log, signal } = one;
  const began = performance.now();
  const building: Snapshot = { ...snapshot, state: 'building', reason: null, log: [] };
  await parts.snapshots.write(app, building);
  const made = await makeRelease(parts, one).then(
    (release) => ready(release, snapshot),
    (error: unknown) => failed(reasonOf(parts, one, error)),
  );
  const outcome = signal.reason === 'cancelled' ? failed(CANCELLED) : made;
  if (outcome.reason !== null && signal.reason !== 'stopped') log.note(outcome.reason);
  await log.end();
  // The state stays, so the next start resumes.
  if (signal.reason === 'stopped') return building;
  const done: Snapshot = { ...building, ...outcome, log: [...log.tail()] };
  await parts.snapshots.write(app, done);
  report(parts, app, { done, milliseconds: performance.now() - began });
  return done;
}

function failed(reason: string) {
  return { state: 'failed' as const, dependencies: null, reason };
}

function ready({ dependencies, node, tools, warnings }: Made, { built_at }: Snapshot) {
  return {
    state: 'ready' as const,
    reason: null,
    dependencies,
    node,
    tools: [...tools],
    warnings: [...warnings],
    built_at: built_at ?? new Date().toISOString(),
  };
}

function reasonOf({ folders }: BuilderParts, { app, snapshot, variables }: Build, error: unknown): string {
  const { release } = folders.ofApp(app).snapshot(snapshot.id);
  return shown(messageOf(error), { release, values: variables }).replaceAll(folders.root, '…');
}

/** Paths relative to the application, as its author knows them, and no values of variables. */
function shown(line: string, { release, values }: { readonly release: string; readonly values: Variables }): string {
  const [text = ''] = masked([line], values);
  return text.replaceAll(`${release}/`, '').replaceAll(release, '.');
}

function report(
  { log }: BuilderParts,
  app: AppName,
  { done, milliseconds }: { done: Snapshot; milliseconds: number },
): void {
  const about = { user: app.user, app: app.app, snapshot: done.id };
  for (const detail of done.warnings) log({ type: 'snapshot.warning', ...about, detail });
  const detail = done.reason ?? `dependencies: ${done.dependencies}`;
  log({ type: `snapshot.${done.state}`, ...about, detail, milliseconds });
}

function shownPath(path: string): string {
  return path === '' ? 'the root of the repository' : `the folder ${path}`;
}

/** Returns the result if it comes in time, else the state of now. */
async function within(done: Promise<Snapshot>, timeoutMs: number, now: Snapshot): Promise<Snapshot> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Snapshot>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, now);
  });
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}

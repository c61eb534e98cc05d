import type { GroupRegistry } from '../../processes/group-registry.ts';
import { messageOf } from '../http-error.ts';
import type { OwnEnvironment } from '../run/child-environment.ts';
import { readStartManifest } from '../run/start-command.ts';
import type { Limits, Log } from '../settings.ts';
import type { Folders } from '../store/folders.ts';
import { type AppName, appKey } from '../store/names.ts';
import type { Snapshot, Snapshots } from '../store/snapshots.ts';
import { masked, type VariableStore } from '../store/variables.ts';
import type { Dependencies, DependencySource } from './dependencies.ts';
import { engineWarning } from './engine-warning.ts';
import { extract } from './extract.ts';
import { runNpm } from './install.ts';

/** Builds uploaded tarballs into releases that can be started. */
export interface Builder {
  /** Starts to build the snapshot, unless it is built or being built; a failed one is tried again. Returns its state. */
  activate(app: AppName, id: string): Promise<Snapshot>;
  /** Returns the state, with `waitMs` when the build has ended or after that time. Resumes a build of an earlier process. */
  status(app: AppName, id: string, waitMs: number): Promise<Snapshot>;
  /** Cancels the builds of the application, or all of them, and waits until their processes are gone. */
  cancel(app?: AppName): Promise<void>;
}

/** What a builder needs. */
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

/** One build: what is built, the lines it prints, and the signal that cancels it. */
interface Build {
  readonly app: AppName;
  readonly snapshot: Snapshot;
  readonly lines: string[];
  readonly signal: AbortSignal;
}

const LOG_LINES = 200;
const LINE_CHARACTERS = 2_000;

/** Returns the builder. Its jobs are in this process; the state of a build is a file, from which a later process resumes. */
export function builder(parts: BuilderParts): Builder {
  const jobs = new Map<string, Job>();
  const begin = (app: AppName, snapshot: Snapshot): Job => {
    const key = `${appKey(app)}/${snapshot.id}`;
    const known = jobs.get(key);
    if (known) return known;
    const stop = new AbortController();
    const done = build(parts, { app, snapshot, lines: [], signal: stop.signal }).finally(() => jobs.delete(key));
    // Callers that wait get the error as well; there may be none.
    done.catch((error: unknown) => parts.log({ type: 'snapshot.error', ...app, detail: messageOf(error) }));
    const job = { app: appKey(app), stop, done };
    jobs.set(key, job);
    return job;
  };
  return {
    activate: async (app, id) => {
      const snapshot = await parts.snapshots.get(app, id);
      if (snapshot.state === 'ready') return snapshot;
      begin(app, snapshot);
      return { ...snapshot, state: 'building', reason: null };
    },
    status: async (app, id, waitMs) => {
      const running = jobs.get(`${appKey(app)}/${id}`);
      const snapshot = await parts.snapshots.get(app, id);
      if (!running && snapshot.state !== 'building') return snapshot;
      const job = running ?? begin(app, snapshot);
      // A new job has not written its state yet.
      const building = { ...snapshot, state: 'building' as const, reason: null };
      return waitMs > 0 ? within(job.done, waitMs, building) : building;
    },
    cancel: async (app) => {
      const cancelled = [...jobs.values()].filter((job) => app === undefined || job.app === appKey(app));
      for (const job of cancelled) job.stop.abort();
      await Promise.allSettled(cancelled.map((job) => job.done));
    },
  };
}

async function build(parts: BuilderParts, one: Build): Promise<Snapshot> {
  const { app, snapshot, lines, signal } = one;
  const began = performance.now();
  const building: Snapshot = { ...snapshot, state: 'building', reason: null, log: [] };
  await parts.snapshots.write(app, building);
  const outcome = await makeRelease(parts, one).then(
    (dependencies) => ({ state: 'ready' as const, dependencies, reason: null }),
    (error: unknown) => ({ state: 'failed' as const, dependencies: null, reason: messageOf(error) }),
  );
  // Cancelled means that the platform stops or the application is removed: the state stays, so the next start resumes.
  if (signal.aborted) return building;
  const values = await parts.variables.read(app);
  const [reason = null] = outcome.reason === null ? [] : masked([outcome.reason], values);
  const done: Snapshot = { ...building, ...outcome, reason, log: masked(lines, values) };
  await parts.snapshots.write(app, done);
  parts.log({
    type: `snapshot.${done.state}`,
    user: app.user,
    app: app.app,
    snapshot: snapshot.id,
    detail: reason ?? `dependencies: ${done.dependencies}`,
    milliseconds: performance.now() - began,
  });
  return done;
}

/** Unpacks the tarball and installs the dependencies; returns where they came from. */
async function makeRelease(parts: BuilderParts, one: Build): Promise<DependencySource> {
  const { app, snapshot, lines, signal } = one;
  const folder = parts.folders.ofApp(app);
  const { release, tarball } = folder.snapshot(snapshot.id);
  const { groups, limits } = parts;
  const program = parts.folders.unpacker;
  await extract({ tarball, target: release, program, limits, groups, what: appKey(app), signal });
  // An application that cannot be started is refused before the minutes that its installation may take.
  const manifest = await readStartManifest(release);
  const print = (line: string) => {
    lines.push(line.slice(0, LINE_CHARACTERS));
    if (lines.length > LOG_LINES) lines.shift();
  };
  const warning = engineWarning(manifest);
  if (warning !== undefined) {
    print(warning);
    parts.log({ type: 'snapshot.warning', user: app.user, app: app.app, snapshot: snapshot.id, detail: warning });
  }
  return parts.dependencies.provide({
    folder,
    id: snapshot.id,
    earlier: await builtBefore(parts.snapshots, app, snapshot.id),
    install: (command) => install(parts, one, { command, release, print }),
  });
}

async function install(
  { own, groups, npmCache, limits, variables }: BuilderParts,
  { app, signal }: Build,
  spec: { readonly command: 'ci' | 'install'; readonly release: string; readonly print: (line: string) => void },
): Promise<void> {
  const { command, release, print } = spec;
  await runNpm(own, groups, {
    command,
    release,
    npmCache,
    signal,
    what: `${appKey(app)} npm`,
    variables: await variables.read(app),
    timeoutMs: limits.installMs,
    line: print,
  });
}

async function builtBefore(snapshots: Snapshots, app: AppName, id: string): Promise<readonly string[]> {
  const list = await snapshots.list(app);
  return list.flatMap((one) => (one.state === 'ready' && one.id !== id ? [one.id] : []));
}

/** Returns the result if it comes in time, else the state of now. */
async function within(done: Promise<Snapshot>, timeoutMs: number, now: Snapshot): Promise<Snapshot> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Snapshot>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, now);
  });
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}

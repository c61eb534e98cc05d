import { setTimeout as pause } from 'node:timers/promises';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import type { ActivateOptions } from '../../../functions/core/ports/platform.ts';
import { FULL_DISK, isFull, OperatorError } from '../../files/errors.ts';
import { HttpError, messageOf } from '../../http/http-error.ts';
import { type AppId, appKey } from '../../runner/calls.ts';
import { prune, type Snapshot } from '../store/snapshots.ts';
import { type BuildLog, storedTail } from './build-log.ts';
import { diskRoom } from './disk-room.ts';
import { type BuilderParts, CANCELLED, prepareBuild, runBuild, type StopReason } from './run-build.ts';

/** Builds uploaded tarballs into releases that can be started. */
export interface Builder {
  /**
   * Starts to build the snapshot, unless its build has ended or runs: a deploy has one build. A snapshot that was built
   * before, and whose release was removed, is built once by each deploy that asks. Returns its state. 409 when it is
   * built for another `path`. It is kept until the entry of the deploy has ended.
   */
  activate(app: AppId, id: string, options?: ActivateOptions): Promise<Snapshot>;
  /**
   * Returns the state, with `waitMs` when the build has ended or after that time. A build that the end of an earlier
   * process has cut off begins again, once.
   */
  status(app: AppId, id: string, waitMs: number): Promise<Snapshot>;
  /** Returns the output of the build while it runs, else `undefined`. */
  log(app: AppId, id: string): Promise<BuildLog | undefined>;
  /**
   * Ends the build for good, and resolves when its processes are gone: the snapshot is `failed`, at once when it
   * was not activated yet. A built snapshot stays.
   */
  cancel(app: AppId, id: string): Promise<Snapshot>;
  /** Notes that the snapshot was live: it is kept for a rollback. */
  started(app: AppId, id: string): Promise<void>;
  /** Removes releases and snapshots that are older than those to keep. */
  prune(app: AppId): Promise<void>;
  /** Builds a snapshot that was built before and whose release is gone, as after a restore. Waits for the end. */
  rebuild(app: AppId, id: string): Promise<void>;
  /** Ends all builds, or those of a user, and waits until their processes are gone. */
  stop(user?: string): Promise<void>;
  /** Ends the builds of an application, and has it removed while none of them can begin, or write what they came to. */
  remove(app: AppId, removal: () => Promise<void>): Promise<void>;
}

const RESUMED = 'The platform ended in the middle of the build, which began again';
const CUT_TWICE = 'The platform ended twice in the middle of the build. Deploy again to build it once more.';

interface Job {
  readonly app: string;
  readonly stop: AbortController;
  readonly output: Promise<BuildLog>;
  readonly done: Promise<Snapshot>;
}

/** The state of a build is a file, from which a later process resumes. */
export function builder(parts: BuilderParts): Builder {
  const removed = new Set<string>();
  const jobs = new Map<string, Job>();
  const inTurn = keyedMutex();
  const room = diskRoom({ ...parts, inTurn });
  const begin = (app: AppId, snapshot: Snapshot, isContinued: boolean): Job => {
    const key = keyOf(app, snapshot.id);
    const stop = new AbortController();
    const begun = room.begin(stop.signal);
    const prepared = begun.then(() => prepareBuild(parts, app, { snapshot, signal: stop.signal, isContinued }));
    const done = prepared
      .then((one) => runBuild(parts, one, () => room.beginAgain(stop.signal)))
      .catch((error: unknown) => endFailed(parts, app, { snapshot, error }))
      .finally(() => {
        jobs.delete(key);
        room.end();
      });
    const output = prepared.then((one) => one.log);
    // The output may have no reader.
    output.catch(() => undefined);
    // Callers that wait get the error as well; there may be none.
    done.catch((error: unknown) => parts.log({ type: 'snapshot.error', ...app, detail: messageOf(error) }));
    const job = { app: appKey(app), stop, output, done };
    jobs.set(key, job);
    return job;
  };
  /** Returns the job of a snapshot that is being built; none when its build has been cut off twice. */
  const resume = (app: AppId, id: string): Promise<Job | undefined> =>
    inTurn(appKey(app), async () => {
      const running = jobs.get(keyOf(app, id));
      if (running) return running;
      const snapshot = await parts.snapshots.get(app, id);
      if (snapshot.state !== 'building') return undefined;
      if (snapshot.note === null) return begin(app, { ...snapshot, note: noteOf(snapshot) }, true);
      await endWithout(parts, app, { ...snapshot, reason: CUT_TWICE });
      return undefined;
    });
  /** A full disk must not fail what needs no room. */
  const mark = async (app: AppId, snapshot: Snapshot) => {
    await parts.reserve.use(() => parts.snapshots.write(app, snapshot));
    return snapshot;
  };
  const rebuild = async (app: AppId, id: string) => {
    const snapshot = await parts.snapshots.find(app, id);
    if (!snapshot || (snapshot.state !== 'pending' && snapshot.state !== 'building')) return;
    const beginAnew = async () => ((await parts.snapshots.find(app, id)) ? begin(app, snapshot, true) : undefined);
    const job = (await resume(app, id)) ?? (await inTurn(appKey(app), beginAnew));
    await job?.done;
  };
  const end = async (stopped: readonly Job[]) => {
    for (const job of stopped) job.stop.abort('stopped' satisfies StopReason);
    await Promise.allSettled(stopped.map((job) => job.done));
  };
  return {
    rebuild,
    activate: async (app, id, options = {}) => {
      await resume(app, id);
      return inTurn(appKey(app), async () => {
        const snapshot = await parts.snapshots.get(app, id);
        const { path = snapshot.path, settings = snapshot.settings, clean = snapshot.clean } = options;
        const { commit = snapshot.commit, entry = snapshot.entry } = options;
        const asked = { ...snapshot, path, settings, clean, commit, entry };
        if (asked.path !== snapshot.path && snapshot.state === 'ready') throw otherPath(snapshot, asked.path);
        const isOther = options.deploy !== undefined && options.deploy !== snapshot.deploy;
        const mayBuild = snapshot.state === 'pending' || (isOther && snapshot.state === 'failed');
        if (jobs.has(keyOf(app, id))) return { ...asked, state: 'building', reason: null };
        if (!mayBuild) return snapshot.state === 'ready' ? mark(app, asked) : snapshot;
        const anew = { ...asked, deploy: options.deploy ?? null, note: null, released: false };
        begin(app, isOther ? anew : asked, !isOther);
        return { ...asked, state: 'building', reason: null };
      });
    },
    status: async (app, id, waitMs) => {
      const job = await resume(app, id);
      const snapshot = await parts.snapshots.get(app, id);
      if (!job) return snapshot;
      // A new job has not written its state yet.
      const building = { ...snapshot, state: 'building' as const, reason: null };
      return waitMs > 0 ? Promise.race([job.done, pause(waitMs, building, { ref: false })]) : building;
    },
    log: async (app, id) => jobs.get(keyOf(app, id))?.output,
    cancel: (app, id) =>
      inTurn(appKey(app), async () => {
        const job = jobs.get(keyOf(app, id));
        job?.stop.abort('cancelled' satisfies StopReason);
        await job?.done;
        const snapshot = await parts.snapshots.get(app, id);
        if (snapshot.state === 'ready' || snapshot.state === 'failed') return snapshot;
        return writeFailed(parts, app, { ...snapshot, reason: CANCELLED });
      }),
    started: (app, id) =>
      inTurn(appKey(app), async () => {
        const snapshot = await parts.snapshots.find(app, id).catch(() => undefined);
        if (snapshot && !jobs.has(keyOf(app, id))) await mark(app, { ...snapshot, was_live: true });
      }),
    // A removal waits for what runs, and that prunes when it has ended: it must not wait for the removal.
    prune: async (app) => void (removed.has(appKey(app)) || (await inTurn(appKey(app), () => prune(parts, app)))),
    stop: (user) => {
      if (user === undefined) room.close();
      return end([...jobs.values()].filter(({ app }) => user === undefined || app.startsWith(`${user}/`)));
    },
    remove: (app, removal) => {
      const key = appKey(app);
      removed.add(key);
      const ended = () => end([...jobs.values()].filter((job) => job.app === key)).then(removal);
      return inTurn(key, ended).finally(() => removed.delete(key));
    },
  };
}

/** Fails a snapshot whose build a full disk or a damaged file of its application has ended; throws another error on. */
async function endFailed(
  parts: BuilderParts,
  app: AppId,
  { snapshot, error }: { readonly snapshot: Snapshot; readonly error: unknown },
): Promise<Snapshot> {
  if (isFull(error)) return endWithout(parts, app, { ...snapshot, reason: FULL_DISK });
  if (!(error instanceof OperatorError)) throw error;
  return writeFailed(parts, app, { ...snapshot, reason: error.message.replaceAll(parts.folders.root, '…') });
}

function keyOf(app: AppId, id: string): string {
  return `${appKey(app)}/${id}`;
}

function noteOf({ released }: Snapshot): string {
  return released ? `${RESUMED}: its release command was begun twice.` : `${RESUMED}.`;
}

/** Ends a build that has not come to its end. */
async function endWithout(parts: BuilderParts, app: AppId, snapshot: Snapshot): Promise<Snapshot> {
  const log = await storedTail(parts.folders.ofApp(app).snapshot(snapshot.id).log);
  return writeFailed(parts, app, { ...snapshot, log });
}

/** The release goes first: it may be what has filled the disk. */
async function writeFailed({ snapshots, reserve }: BuilderParts, app: AppId, snapshot: Snapshot): Promise<Snapshot> {
  await snapshots.dropRelease(app, snapshot.id);
  const failed: Snapshot = { ...snapshot, state: 'failed' };
  await reserve.use(() => snapshots.write(app, failed));
  return failed;
}

function otherPath({ id, path }: Snapshot, asked: string): HttpError {
  const shown = (folder: string) => (folder === '' ? 'the root of the repository' : `the folder ${folder}`);
  return new HttpError(409, `The snapshot ${id} is built for ${shown(path)}, not ${shown(asked)}.`);
}

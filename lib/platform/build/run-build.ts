import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withoutValues } from '../../../functions/core/output/without-values.ts';
import type { BuiltApplication } from '../../builder/build-application.ts';
import type { DiskReserve } from '../../files/disk-reserve.ts';
import { isFull } from '../../files/errors.ts';
import { removeTree } from '../../files/tree.ts';
import { sentenceOf } from '../../http/http-error.ts';
import { placeOf, withPaths } from '../../process/sandbox.ts';
import type { AppId, Variables } from '../../runner/calls.ts';
import type { Log } from '../settings.ts';
import type { Snapshot } from '../store/snapshots.ts';
import type { VariableStore } from '../store/variables.ts';
import { buildLog, keptLines } from './build-log.ts';
import type { Build, ReleaseMaker } from './make-release.ts';
import { makeRelease } from './make-release.ts';

export interface BuilderParts extends ReleaseMaker {
  readonly variables: VariableStore;
  readonly reserve: Pick<DiskReserve, 'use'>;
  readonly log: Log;
}

/** Why a build is ended: its deploy was cancelled, or the platform stops or the application is removed. */
export type StopReason = 'cancelled' | 'stopped';

export const CANCELLED = 'The build was cancelled.';
const STOPPED = 'The platform stops in the middle of the build.';

/**
 * Opens the log of a build and reads the variables, whose values it must not show. What is left of a build that was cut
 * off is removed before anything is written: it may be what has filled the disk.
 */
export async function prepareBuild(
  { folders, variables }: BuilderParts,
  app: AppId,
  { snapshot, signal, isContinued }: Pick<Build, 'snapshot' | 'signal'> & { readonly isContinued: boolean },
): Promise<Build> {
  const { log, release } = folders.ofApp(app).snapshot(snapshot.id);
  await removeTree(release);
  const values = await variables.read(app);
  await mkdir(dirname(log), { recursive: true });
  const text = (line: string) => shown(line, { release, values });
  const earlier = isContinued ? await keptLines(log) : [];
  return { app, snapshot, signal, variables: values, log: buildLog(log, text, { earlier }) };
}

/**
 * Builds a snapshot, and returns its state afterwards, which is written by then. `makeRoom` returns whether the build may
 * begin again when it has met a full disk.
 */
export async function runBuild(parts: BuilderParts, one: Build, makeRoom: () => Promise<boolean>): Promise<Snapshot> {
  const { app, snapshot, log, signal } = one;
  const began = performance.now();
  const building: Snapshot = { ...snapshot, state: 'building', reason: null, log: [] };
  await parts.snapshots.write(app, building);
  if (snapshot.note !== null) log.note(snapshot.note);
  const tried = makeRelease(parts, one).catch((error: unknown) => buildAgain(parts, one, { error, makeRoom }));
  const made = await tried.then(ready, (error: unknown) => failed(reasonOf(parts, one, error)));
  const outcome = signal.reason === ('cancelled' satisfies StopReason) ? failed(CANCELLED) : made;
  const isStopped = signal.reason === ('stopped' satisfies StopReason);
  const last = isStopped ? STOPPED : outcome.reason;
  if (last !== null) log.note(last);
  await log.end();
  if (isStopped) return stopped(parts, app, building);
  // Before the state is written: the build may have failed because it has filled the disk.
  if (outcome.state === 'failed') await parts.snapshots.dropRelease(app, snapshot.id);
  const done: Snapshot = { ...building, ...outcome, log: [...log.tail()] };
  await parts.snapshots.write(app, done);
  report(parts, app, { done, milliseconds: performance.now() - began });
  return done;
}

/** What programs print that meet a full disk. ENOSPC alone is also that of too many watched files. */
const NO_SPACE = /no space left on device/i;

/** Builds once more what has met a full disk, unless its `release` command has begun. Throws the error otherwise. */
async function buildAgain(
  parts: BuilderParts,
  one: Build,
  { error, makeRoom }: { readonly error: unknown; readonly makeRoom: () => Promise<boolean> },
): Promise<BuiltApplication> {
  const { app, snapshot, log, signal } = one;
  const hasMetFull = isFull(error) || log.tail().some((line) => NO_SPACE.test(line));
  if (!hasMetFull || signal.aborted || (await parts.snapshots.get(app, snapshot.id)).released) throw error;
  await parts.snapshots.dropRelease(app, snapshot.id);
  if (!(await makeRoom())) throw error;
  log.note('The disk was full: caches and old releases were removed, and the build begins again.');
  return makeRelease(parts, one);
}

/**
 * The platform stops, and its next start builds the snapshot as if for the first time; not when the `release` command
 * has begun, which must not run again without a word. The snapshot of a removed application has no state any more.
 */
async function stopped({ snapshots }: BuilderParts, app: AppId, building: Snapshot): Promise<Snapshot> {
  const now = (await snapshots.find(app, building.id)) ?? building;
  if (now.released) return now;
  const pending: Snapshot = { ...now, state: 'pending' };
  await snapshots.write(app, pending);
  return pending;
}

function failed(reason: string) {
  return { state: 'failed' as const, dependencies: null, reason };
}

function ready({ dependencies, node, tools, warnings, found }: BuiltApplication) {
  return {
    state: 'ready' as const,
    reason: null,
    dependencies,
    node,
    tools: [...tools],
    warnings: [...warnings],
    found,
    built_at: new Date().toISOString(),
  };
}

function reasonOf({ folders }: BuilderParts, { app, snapshot, variables }: Build, error: unknown): string {
  const { release } = folders.ofApp(app).snapshot(snapshot.id);
  return shown(sentenceOf(error), { release, values: variables }).replaceAll(folders.root, '…');
}

/** Paths relative to the application, as its author knows them, no values of variables, and at most 2000 characters. */
function shown(line: string, { release, values }: { readonly release: string; readonly values: Variables }): string {
  const [text = ''] = withoutValues([line], values);
  return withPaths(text, placeOf(release), release).replaceAll(`${release}/`, '').replaceAll(release, '.');
}

function report(
  { log }: BuilderParts,
  app: AppId,
  { done, milliseconds }: { done: Snapshot; milliseconds: number },
): void {
  const about = { user: app.user, app: app.app, snapshot: done.id };
  for (const detail of done.warnings) log({ type: 'snapshot.warning', ...about, detail });
  const detail = done.reason ?? `dependencies: ${done.dependencies}`;
  log({ type: `snapshot.${done.state}`, ...about, detail, milliseconds });
}

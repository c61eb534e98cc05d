import { DeployError } from '../../../../core/errors.ts';
import type { AppRef, SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { keys } from '../../in-table/keys.ts';
import { pruneSnapshots } from '../../in-table/snapshots.ts';
import type { Item } from '../../in-table/table.ts';
import { recordChange } from '../../provider/app-change.ts';
import { note } from '../../provider/app-notes.ts';
import { keptFormation } from '../../provider/formation.ts';
import { forgetArchive } from '../archives.ts';
import type { ScalingoParts } from '../parts.ts';
import { OperationFailed, readFormation, restart, scale, untilRunning } from './containers.ts';
import { startFailure } from './start-failure.ts';
import { untilLive } from './until-live.ts';

const CODE = 'deploy:platform:start_app';

/**
 * Sees to it that a snapshot serves and its containers run, and notes that it does. A second call finds it so, and
 * changes nothing.
 */
export async function release(
  snapshot: SnapshotRef,
  order: number | undefined,
  parts: ScalingoParts,
): Promise<{ url: string }> {
  await checkBuilt(snapshot, parts);
  await untilLive(snapshot, order, parts);
  const app = (await parts.table.read(keys.app(snapshot))) ?? {};
  await runContainers(snapshot, app, { fresh: false, parts });
  return serves(snapshot, app, parts);
}

/** Starts anew what serves; a stopped application runs the snapshot again that it ran before. */
export async function releaseAgain(app: SnapshotRef, item: Item, parts: ScalingoParts): Promise<{ url: string }> {
  if (item.state === 'stopped') {
    // What became of it once is no answer to a person who asks for it again.
    await parts.table.write(keys.snapshot(app), { rebuild: null, startFailure: null }, { exists: true });
    await untilLive(app, undefined, parts);
  }
  await runContainers(app, item, { fresh: item.state !== 'stopped', parts });
  return serves(app, item, parts);
}

/** A snapshot whose deployment is under way again is waited for. */
async function checkBuilt(snapshot: SnapshotRef, { table }: ScalingoParts): Promise<void> {
  const item = await table.read(keys.snapshot(snapshot));
  if (!item) throw refused(`There is no snapshot ${snapshot.snapshot} of ${snapshot.app}.`);
  if (item.state === 'ready' || item.built !== undefined) return;
  throw refused(`The snapshot ${snapshot.snapshot} is not built: it is ${item.state}.`);
}

interface Running {
  readonly fresh: boolean;
  readonly parts: ScalingoParts;
}

/**
 * Starts the containers of a stopped application: a deployment starts as many as there were. Those of a running
 * application accept connections when the deployment ends.
 */
async function runContainers(app: AppRef, item: Item, { fresh, parts }: Running): Promise<void> {
  const { run = '', state, formation } = item;
  const now = await readFormation(run, parts);
  if (now.web === undefined) throw refused(NO_WEB);
  const since = new Date(parts.clock.now()).toISOString();
  const isStopped = state === 'stopped' || now.web === 0;
  const kept = state === 'stopped' ? keptFormation(formation) : {};
  try {
    if (now.web === 0) await scale(run, { ...kept, web: kept.web || 1 }, parts);
    else if (fresh) await restart(run, parts);
    if (isStopped || fresh) await untilRunning(run, parts);
  } catch (error) {
    if (!(error instanceof OperationFailed)) throw error;
    if (error.why === 'late') throw new DeployError(CODE, LATE, { retry: true, cause: error });
    const { reason, log } = await startFailure('crashed-error', { run, since }, parts);
    // What was stopped stays so: it must not crash again and again.
    if (isStopped) await scale(run, none(now), parts).catch(() => {});
    await note(app, 'did not start', parts);
    throw new DeployError(CODE, reason, { retry: false, logTail: log, cause: error });
  }
}

const LATE = 'The application has not started within 45 seconds; it is waited for again.';
const NO_WEB = 'The application has no web process: add a script "start", or "web: <command>" to the Procfile.';

/** Returns the formation without any container. */
export function none(formation: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.keys(formation).map((type) => [type, 0]));
}

async function serves(snapshot: SnapshotRef, app: Item, parts: ScalingoParts): Promise<{ url: string }> {
  const url = app.address ?? '';
  // The event first: a call that is made again after this finds that the application had crashed.
  if (app.state === 'crashed') await recordChange(snapshot, { state: 'running', reason: null, log: [] }, parts);
  await parts.table.write(keys.app(snapshot), { snapshot: snapshot.snapshot, url, state: 'running' }, { exists: true });
  await note(snapshot, `${snapshot.snapshot} serves`, parts);
  await parts.table.write(keys.startedApp(snapshot), { user: snapshot.user, app: snapshot.app });
  await pruneSnapshots(snapshot, { table: parts.table, forget: forgetArchive(parts) }).catch(() => {});
  return { url };
}

function refused(detail: string): DeployError {
  return new DeployError(CODE, detail, { retry: false });
}

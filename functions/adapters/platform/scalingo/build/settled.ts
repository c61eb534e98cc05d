import type { SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { keys } from '../../in-table/keys.ts';
import { buildFailureIn } from '../../provider/build-failure.ts';
import type { ScalingoParts } from '../parts.ts';
import { startFailure } from '../run/start-failure.ts';
import { type Deployment, findDeployment, readDeployment, readOutput } from './deployments.ts';
import { type KnownTurn, refOf, type Turn, writeTurn } from './turn.ts';

const UNDER_WAY = new Set(['queued', 'building', 'pushing', 'starting']);
/** Built, but did not start: the old version still serves. */
const NOT_STARTED = new Set(['crashed-error', 'timeout-error', 'hook-error']);
/** A call of Scalingo takes ten seconds at most: a deployment that does not exist by then was never made. */
const LOST_AFTER_MS = 30_000;

type Changes = Readonly<Record<string, string | null>>;

/**
 * Returns the turn when its deployment has ended, after storing the result in the snapshot's item; null while it is in
 * progress. Called by the deploy itself, by the next one and by operations.
 */
export async function settled(known: KnownTurn, parts: ScalingoParts): Promise<Turn | null> {
  const { turn } = known;
  if (!turn || turn.isOver) return turn;
  const found = await deploymentOf(known.run, turn, parts);
  const snapshot = { ...known.app, snapshot: turn.snapshot };
  if (!found) {
    if (turn.deployment === null && parts.clock.now() - turn.since < LOST_AFTER_MS) return null;
    await store(snapshot, { state: (await isBuilt(snapshot, parts)) ? 'ready' : 'pending' }, parts);
    return end(known, { ...turn, isOver: true }, parts);
  }
  const { id: deployment } = found;
  if (UNDER_WAY.has(found.status)) {
    if (turn.deployment === null) await adopt(known, { ...turn, deployment }, parts);
    return null;
  }
  await store(snapshot, { deployment, ...(await resultOf(snapshot, found, { run: known.run, parts })) }, parts);
  const live = found.status === 'success' ? { live: turn.snapshot, liveOrder: turn.order } : {};
  return end(known, { ...turn, deployment, isOver: true, ...live }, parts);
}

/** A deployment whose call was not answered is found by its name. */
function deploymentOf(run: string, turn: Turn, { api }: ScalingoParts): Promise<Deployment | null> {
  return turn.deployment === null ? findDeployment(run, refOf(turn), api) : readDeployment(run, turn.deployment, api);
}

async function adopt(known: KnownTurn, turn: Turn, parts: ScalingoParts): Promise<void> {
  await store({ ...known.app, snapshot: turn.snapshot }, { state: 'building', deployment: turn.deployment }, parts);
  await writeTurn(known, turn, parts);
}

/** Another call may have ended the same turn, with the same result. */
async function end(known: KnownTurn, turn: Turn, parts: ScalingoParts): Promise<Turn> {
  await writeTurn(known, turn, parts);
  return turn;
}

interface Where {
  readonly run: string;
  readonly parts: ScalingoParts;
}

async function resultOf(snapshot: SnapshotRef, deployment: Deployment, { run, parts }: Where): Promise<Changes> {
  const { status, id, at } = deployment;
  const built = { state: 'ready', built: 'yes' };
  if (status === 'success') return { ...built, startFailure: null };
  const output = ((await readOutput(run, id, parts).catch(() => null)) ?? '').split('\n');
  if (NOT_STARTED.has(status)) {
    return { ...built, startFailure: JSON.stringify(await startFailure(status, { run, since: at, output }, parts)) };
  }
  const { reason, log } = buildFailureIn(output);
  const failure = { reason: status === 'aborted' ? 'Scalingo has aborted the deployment.' : reason, log };
  // A snapshot that was built once remains available for a rollback, although this build failed.
  if (await isBuilt(snapshot, parts)) return { state: 'ready', rebuild: JSON.stringify(failure) };
  return { state: 'failed', reason: failure.reason, log: JSON.stringify(failure.log) };
}

async function isBuilt(snapshot: SnapshotRef, { table }: ScalingoParts): Promise<boolean> {
  return (await table.read(keys.snapshot(snapshot)))?.built !== undefined;
}

async function store(snapshot: SnapshotRef, changes: Changes, { table }: ScalingoParts): Promise<void> {
  await table.write(keys.snapshot(snapshot), changes, { exists: true });
}

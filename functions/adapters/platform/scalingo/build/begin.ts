import { DeployError } from '../../../../core/errors.ts';
import type { SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { keys } from '../../in-table/keys.ts';
import { archiveAddress } from '../archives.ts';
import type { ScalingoParts } from '../parts.ts';
import { makeDeployment } from './deployments.ts';
import { settled } from './settled.ts';
import { type KnownTurn, readTurn, refOf, type Turn, writeTurn } from './turn.ts';

const CODE = 'deploy:tar:extract_failed';
/** With the duration of the call, less than the time after which a missing deployment counts as never made. */
const CALL_WITHIN_MS = 15_000;

/** `waits`: another deployment is in progress; `late`: a newer deploy serves. */
export type Begun = 'begun' | 'waits' | 'late';

/**
 * Begins a deployment of a snapshot, unless another one is in progress or the snapshot serves already. Without an order
 * it is treated as the newest.
 */
export async function begin(snapshot: SnapshotRef, order: number | undefined, parts: ScalingoParts): Promise<Begun> {
  const known = await readTurn(snapshot, parts);
  if (!known) throw new DeployError(CODE, `There is no application ${snapshot.app}.`, { retry: false });
  const { turn } = known;
  if (turn && !turn.isOver) {
    const isOver = (await settled(known, parts)) !== null;
    if (turn.snapshot === snapshot.snapshot) return 'begun';
    return isOver ? begin(snapshot, order, parts) : 'waits';
  }
  if (turn && order !== undefined && order < turn.liveOrder) return 'late';
  if (turn?.live === snapshot.snapshot) return confirm(known, turn, { order, parts });
  const next = await writeTurn(known, nextTurn(snapshot, order, { turn, now: parts.clock.now() }), parts);
  if (!next?.turn) return 'waits';
  await deploy(snapshot, next, parts);
  return 'begun';
}

/** Assigns the serving version to this deploy, so that no older deploy replaces it. */
async function confirm(
  known: KnownTurn,
  turn: Turn,
  { order = 0, parts }: { readonly order: number | undefined; readonly parts: ScalingoParts },
): Promise<Begun> {
  if (order <= turn.liveOrder) return 'begun';
  return (await writeTurn(known, { ...turn, order, liveOrder: order }, parts)) ? 'begun' : 'waits';
}

function nextTurn(
  { snapshot }: SnapshotRef,
  order: number | undefined,
  { turn, now }: { readonly turn: Turn | null; readonly now: number },
): Turn {
  const { number = 0, order: last = 0, live = null, liveOrder = 0 } = turn ?? {};
  const taken = { number: number + 1, snapshot, order: order ?? last, since: now };
  return { ...taken, deployment: null, isOver: false, live, liveOrder };
}

/**
 * Calls Scalingo. A refusal ends the turn. Without an answer the turn continues, because the deployment may exist:
 * `settled` looks for it by its name.
 */
async function deploy(snapshot: SnapshotRef, known: KnownTurn, parts: ScalingoParts): Promise<void> {
  const { turn, run } = known;
  if (!turn) return;
  const key = keys.snapshot(snapshot);
  const before = (await parts.table.read(key)) ?? {};
  const fresh = { deployment: null, wanted: null, rebuild: null, startFailure: null, reason: null, log: null };
  await parts.table.write(key, { ...fresh, state: 'building' }, { exists: true });
  try {
    const source = await archiveAddress(snapshot, parts);
    checkTime(turn, parts.clock.now());
    const deployment = await makeDeployment(run, { ref: refOf(turn), source }, parts.api);
    await parts.table.write(key, { deployment }, { exists: true });
    await writeTurn(known, { ...turn, deployment }, parts);
  } catch (error) {
    if (error instanceof DeployError && !error.retry) {
      await parts.table.write(key, { state: before.built ? 'ready' : 'pending' }, { exists: true });
      await writeTurn(known, { ...turn, isOver: true }, parts);
    }
    throw error;
  }
}

/** A late call would begin a deployment after the next turn has been taken. */
function checkTime({ since }: Turn, now: number): void {
  if (now - since <= CALL_WITHIN_MS) return;
  throw new DeployError(CODE, 'The call of Scalingo was not made in time; try again.', { retry: true });
}

import { DeployError } from '../../../../core/errors.ts';
import type { AppRef, SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { keys } from '../../in-table/keys.ts';
import { begin } from '../build/begin.ts';
import { settled } from '../build/settled.ts';
import { readTurn, type Turn } from '../build/turn.ts';
import type { ScalingoParts } from '../parts.ts';
import { failureIn } from './start-failure.ts';

const CODE = 'deploy:platform:start_app';
/** A run of the stage `start` has 110 seconds, and may have to wait for containers after it. */
const LIMIT_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5_000;
/** Builds take minutes, and the stage is tried five times. */
const RETRY_AFTER_SECONDS = 120;

/**
 * Waits until a snapshot serves, and deploys it when another one does: in a rollback, or because an older deployment
 * has ended last. A newer one is not replaced. Throws when the snapshot was not built or did not start.
 */
export async function untilLive(snapshot: SnapshotRef, order: number | undefined, parts: ScalingoParts): Promise<void> {
  await waiting(`the deployment of ${snapshot.snapshot}`, parts, async () => {
    const known = await readTurn(snapshot, parts);
    if (!known) throw refused(`There is no application ${snapshot.app}.`);
    if (known.turn?.live === snapshot.snapshot && keepsServing(known.turn, order)) return true;
    const turn = await settled(known, parts);
    if (known.turn && !turn) return false;
    if (turn?.live === snapshot.snapshot) return true;
    await checkFailure(snapshot, parts);
    // A newer deploy than this one serves, and is kept.
    if ((await begin(snapshot, order, parts)) === 'late') {
      const detail = `A newer deploy of ${snapshot.app} is on Scalingo already.`;
      throw new DeployError(CODE, detail, { retry: true });
    }
    return false;
  });
}

/** Waits until no deployment of an application is in progress: Scalingo refuses other operations meanwhile. */
export async function untilIdle(app: AppRef, parts: ScalingoParts): Promise<void> {
  await waiting(`another deployment of ${app.app}`, parts, async () => {
    const known = await readTurn(app, parts);
    return !known?.turn || (await settled(known, parts)) !== null;
  });
}

/** Whether the serving version remains: a deployment in progress would otherwise replace it, unless it is newer. */
function keepsServing(turn: Turn, order: number | undefined): boolean {
  return turn.isOver || (order !== undefined && turn.order > order);
}

async function waiting(what: string, { clock }: ScalingoParts, isDone: () => Promise<boolean>): Promise<void> {
  const end = clock.now() + LIMIT_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, MAX_PAUSE_MS)) {
    if (await isDone().catch(asStart)) return;
    if (clock.now() + pause > end) {
      const detail = `Scalingo has not finished ${what} yet.`;
      throw new DeployError(CODE, detail, { retry: true, retryAfter: RETRY_AFTER_SECONDS });
    }
    await clock.sleep(pause);
  }
}

/** Gives errors of a deployment's calls the code of stage `start`. */
function asStart(error: unknown): never {
  if (!(error instanceof DeployError) || error.code === CODE) throw error;
  const { detail, retry, retryAfter, logTail } = error;
  throw new DeployError(CODE, detail, {
    retry,
    logTail,
    ...(retryAfter !== undefined && { retryAfter }),
    cause: error,
  });
}

/** Throws the failure of the snapshot's last deployment: the same deploy does not repeat it. */
async function checkFailure(snapshot: SnapshotRef, { table }: ScalingoParts): Promise<void> {
  const item = (await table.read(keys.snapshot(snapshot))) ?? {};
  const text = item.startFailure ?? item.rebuild;
  if (text === undefined) return;
  const { reason, log } = failureIn(text);
  throw new DeployError(CODE, reason, { retry: false, logTail: log });
}

function refused(detail: string): DeployError {
  return new DeployError(CODE, detail, { retry: false });
}

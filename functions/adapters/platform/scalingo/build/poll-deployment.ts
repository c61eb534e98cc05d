import type { Activation, SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { knownSnapshot, storedResult } from '../../in-table/known-snapshot.ts';
import type { Item } from '../../in-table/table.ts';
import type { ScalingoParts } from '../parts.ts';
import { failureIn } from '../run/start-failure.ts';
import { settled } from './settled.ts';
import { readTurn } from './turn.ts';

const ASK_EVERY_SECONDS = 2;

/**
 * Returns the progress of a snapshot's deployment, as `HostingPlatform.poll` does: it is ready when it is built, also
 * when it did not start then. Scalingo answers at once, so the wait is here, with few calls.
 */
export async function pollDeployment(
  snapshot: SnapshotRef,
  waitSeconds: number,
  parts: ScalingoParts,
): Promise<Activation> {
  for (let left = waitSeconds; ; left -= ASK_EVERY_SECONDS) {
    const activation = await progressOf(snapshot, parts);
    if (activation.state !== 'building' || left <= 0) return activation;
    await parts.clock.sleep(Math.min(left, ASK_EVERY_SECONDS) * 1000);
  }
}

async function progressOf(snapshot: SnapshotRef, parts: ScalingoParts): Promise<Activation> {
  const item = await knownSnapshot(snapshot, parts);
  if (item.state !== 'building') return resultIn(item);
  const known = await readTurn(snapshot, parts);
  if (known?.turn?.snapshot !== snapshot.snapshot || !(await settled(known, parts))) return { state: 'building' };
  return resultIn(await knownSnapshot(snapshot, parts));
}

function resultIn(item: Item): Activation {
  // Another deployment is under way, and this one comes after it.
  if (item.wanted !== undefined) return { state: 'building' };
  return item.rebuild === undefined ? storedResult(item) : { state: 'failed', ...failureIn(item.rebuild) };
}

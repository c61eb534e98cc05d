import type { Activation, SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { knownSnapshot, storedResult } from '../../in-table/known-snapshot.ts';
import type { Item } from '../../in-table/table.ts';
import { pollUntil } from '../../provider/poll-until.ts';
import type { ScalingoParts } from '../parts.ts';
import { failureIn } from '../run/start-failure.ts';
import { settled } from './settled.ts';
import { readTurn } from './turn.ts';

/**
 * Returns the progress of a snapshot's deployment, as `HostingPlatform.poll` does: `ready` when it is built, also when
 * it did not start then.
 */
export function pollDeployment(snapshot: SnapshotRef, waitSeconds: number, parts: ScalingoParts): Promise<Activation> {
  return pollUntil(waitSeconds, parts.clock, () => progressOf(snapshot, parts));
}

async function progressOf(snapshot: SnapshotRef, parts: ScalingoParts): Promise<Activation> {
  const item = await knownSnapshot(snapshot, parts);
  if (item.state !== 'building') return resultIn(item);
  const known = await readTurn(snapshot, parts);
  if (known?.turn?.snapshot !== snapshot.snapshot || !(await settled(known, parts))) return { state: 'building' };
  return resultIn(await knownSnapshot(snapshot, parts));
}

function resultIn(item: Item): Activation {
  // Another deployment is in progress, and this one waits for it.
  if (item.wanted !== undefined) return { state: 'building' };
  return item.rebuild === undefined ? storedResult(item) : { state: 'failed', ...failureIn(item.rebuild) };
}

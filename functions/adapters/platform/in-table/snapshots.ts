import type { AppRef, SnapshotRef } from '../../../core/ports/hosting-platform.ts';
import type { HerokuParts } from '../heroku/parts.ts';
import { keys } from './keys.ts';

type SnapshotParts = Pick<HerokuParts, 'table'>;

/** As many as the other platforms keep. */
const KEPT_SNAPSHOTS = 10;

/**
 * Forgets the snapshots of an application that neither run nor are among the newest. Heroku keeps what it has built.
 */
export async function pruneSnapshots(active: SnapshotRef, { table }: SnapshotParts): Promise<void> {
  const items = await table.list(keys.snapshots(active));
  const newestFirst = items.toSorted((one, other) => Number(other.at) - Number(one.at));
  for (const { sk } of newestFirst.slice(KEPT_SNAPSHOTS)) {
    if (sk !== undefined && sk !== active.snapshot) await table.remove(keys.snapshot({ ...active, snapshot: sk }));
  }
}

/** Forgets all snapshots of an application. */
export async function removeSnapshots(app: AppRef, { table }: SnapshotParts): Promise<void> {
  for (const { sk = '' } of await table.list(keys.snapshots(app))) {
    await table.remove(keys.snapshot({ ...app, snapshot: sk }));
  }
}

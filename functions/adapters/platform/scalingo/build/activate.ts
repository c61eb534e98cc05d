import { DeployError } from '../../../../core/errors.ts';
import type { SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { keys } from '../../in-table/keys.ts';
import { knownSnapshot } from '../../in-table/known-snapshot.ts';
import type { Item } from '../../in-table/table.ts';
import type { ScalingoParts } from '../parts.ts';
import { begin } from './begin.ts';
import { readTurn } from './turn.ts';

const CODE = 'deploy:tar:extract_failed';

/** Options of the activation of a snapshot. */
interface Activating {
  readonly path: string | undefined;
  readonly order: number | undefined;
}

/**
 * Begins the deployment of a snapshot, as `HostingPlatform.activate` does: of one that was never deployed, and of an
 * older one for a rollback, which is newer than what has been deployed since. While another deployment of the
 * application is under way, the next call tries again.
 */
export async function activateSnapshot(
  snapshot: SnapshotRef,
  { path, order }: Activating,
  parts: ScalingoParts,
): Promise<void> {
  const item = await knownSnapshot(snapshot, parts);
  if (path) throw new DeployError(CODE, inAFolder(path), { retry: false });
  if (!(await isWanted(snapshot, { item, order }, parts))) return;
  const begun = await begin(snapshot, order, parts);
  if (begun === 'late') {
    // The newer one claims the application when it starts; then the pipeline ends this one.
    const detail = `A newer deploy of ${snapshot.app} is on Scalingo already.`;
    throw new DeployError(CODE, detail, { retry: true });
  }
  await parts.table.write(keys.snapshot(snapshot), { wanted: begun === 'waits' ? 'yes' : null }, { exists: true });
}

async function isWanted(
  snapshot: SnapshotRef,
  { item, order }: { readonly item: Item; readonly order: number | undefined },
  parts: ScalingoParts,
): Promise<boolean> {
  if (item.state === 'pending') return true;
  if (item.state !== 'ready' || order === undefined) return false;
  const turn = (await readTurn(snapshot, parts))?.turn;
  if (!turn || turn.order >= order) return false;
  const other = turn.isOver ? turn.live : turn.snapshot;
  return other !== snapshot.snapshot;
}

function inAFolder(path: string): string {
  const own = 'give it a repository of its own';
  return `Scalingo builds the root of a repository, and this application is in ${path}: ${own}.`;
}

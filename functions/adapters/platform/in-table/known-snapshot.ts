import { DeployError } from '../../../core/errors.ts';
import type { Activation, SnapshotRef } from '../../../core/ports/platform.ts';
import { keys } from './keys.ts';
import type { Item, PlatformTable } from './table.ts';

/** Returns the item of a snapshot. Throws `deploy:tar:extract_failed` when there is none. */
export async function knownSnapshot(
  snapshot: SnapshotRef,
  { table }: { readonly table: PlatformTable },
): Promise<Item> {
  const item = await table.read(keys.snapshot(snapshot));
  if (item) return item;
  const detail = `There is no snapshot ${snapshot.snapshot} of ${snapshot.app}.`;
  throw new DeployError('deploy:tar:extract_failed', detail, { retry: false });
}

/** Returns the result of a build that a snapshot's item has, or that there is none yet. */
export function storedResult({ state, reason = '', log = '[]', note }: Item): Activation {
  if (state === 'ready') return { state, ...(note !== undefined && { note }) };
  if (state === 'failed')
    return { state, reason: note === undefined ? reason : `${reason} ${note}`, log: JSON.parse(log) };
  return { state: 'building' };
}

import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { DeployError } from '../../../../core/errors.ts';
import type { ActivateOptions, Activation, AppRef, SnapshotRef } from '../../../../core/ports/platform.ts';
import { objectKeys } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys, type SnapshotItem } from './items.ts';

/** Returns the item of a snapshot. Throws `deploy:tar:extract_failed` when there is none. */
export async function knownSnapshot(
  snapshot: SnapshotRef,
  { table }: Pick<LambdaPlatformParts, 'table'>,
): Promise<SnapshotItem> {
  const item = await table.read(keys.snapshot(snapshot));
  if (item) return item;
  const detail = `There is no snapshot ${snapshot.snapshot} of ${snapshot.app}.`;
  throw new DeployError('deploy:tar:extract_failed', detail, { retry: false });
}

/** Returns the result of a build that a snapshot's item has, or that there is none yet. */
export function storedResult({ state, reason = '', log = [], note, found }: SnapshotItem): Activation {
  if (state === 'ready') {
    return { state, ...(note !== undefined && { note }), ...(found !== undefined && { found: JSON.parse(found) }) };
  }
  if (state === 'failed') return { state, reason: note === undefined ? reason : `${reason} ${note}`, log };
  return { state: 'building' };
}

/** Returns what is kept of how a snapshot is built. */
export function keptOf({ path, commit }: ActivateOptions) {
  return { ...(path !== undefined && { path }), ...(commit !== undefined && { commit }) };
}

type SnapshotParts = Pick<LambdaPlatformParts, 'table' | 's3' | 'bucket'>;

/** As many as the embedded platform keeps. */
const KEPT_SNAPSHOTS = 10;

/** Removes the snapshots of an application that neither run nor are among the newest. */
export async function pruneSnapshots(active: SnapshotRef, parts: SnapshotParts): Promise<void> {
  const items = await parts.table.list(keys.snapshots(active));
  const newestFirst = items.toSorted((one, other) => other.at - one.at);
  const old = newestFirst.slice(KEPT_SNAPSHOTS).flatMap(({ sk }) => (sk === active.snapshot ? [] : [sk]));
  for (const snapshot of old) await removeSnapshot({ ...active, snapshot }, parts);
}

export async function removeSnapshots(app: AppRef, parts: SnapshotParts): Promise<void> {
  for (const { sk } of await parts.table.list(keys.snapshots(app))) {
    await removeSnapshot({ ...app, snapshot: sk }, parts);
  }
}

/** The item last, so that what fails in between can be removed again. */
async function removeSnapshot(snapshot: SnapshotRef, { table, s3, bucket: Bucket }: SnapshotParts): Promise<void> {
  for (const Key of Object.values(objectKeys(snapshot))) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  await table.remove(keys.snapshot(snapshot));
}

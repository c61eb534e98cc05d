import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import type { AppRef, SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { keys } from '../../in-table/keys.ts';
import { objectKeys } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';

type SnapshotParts = Pick<LambdaPlatformParts, 'table' | 's3' | 'bucket'>;

/** As many as the embedded platform keeps. */
const KEPT_SNAPSHOTS = 10;

/** Removes the snapshots of an application that are neither running nor among the newest. */
export async function pruneSnapshots(active: SnapshotRef, parts: SnapshotParts): Promise<void> {
  const items = await parts.table.list(keys.snapshots(active));
  const newestFirst = items.toSorted((one, other) => Number(other.at) - Number(one.at));
  const old = newestFirst.slice(KEPT_SNAPSHOTS).flatMap(({ sk }) => (sk && sk !== active.snapshot ? [sk] : []));
  for (const snapshot of old) await removeSnapshot({ ...active, snapshot }, parts);
}

/** Removes all snapshots of an application. */
export async function removeSnapshots(app: AppRef, parts: SnapshotParts): Promise<void> {
  for (const { sk = '' } of await parts.table.list(keys.snapshots(app))) {
    await removeSnapshot({ ...app, snapshot: sk }, parts);
  }
}

/** The item last, so that what fails in between can be removed again. */
async function removeSnapshot(snapshot: SnapshotRef, { table, s3, bucket: Bucket }: SnapshotParts): Promise<void> {
  for (const Key of Object.values(objectKeys(snapshot))) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  await table.remove(keys.snapshot(snapshot));
}

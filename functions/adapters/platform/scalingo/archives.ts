import { DeleteObjectCommand, GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { SnapshotRef } from '../../../core/ports/hosting-platform.ts';
import { pathOf } from '../in-table/keys.ts';
import type { ScalingoParts } from './parts.ts';

type Bucket = Pick<ScalingoParts, 's3' | 'bucket'>;

/** Longer than a deployment waits for others of the account before it reads its archive. */
const VALID_SECONDS = 45 * 60;

/** Returns the key of a snapshot's tarball in the platform's bucket. */
export function archiveKey(snapshot: SnapshotRef): string {
  return `archives/${pathOf(snapshot)}/${encodeURIComponent(snapshot.snapshot)}.tgz`;
}

/** Returns a presigned URL of a snapshot's tarball, for Scalingo. It is a secret, because it needs no login. */
export function archiveAddress(snapshot: SnapshotRef, { s3, bucket }: Bucket): Promise<string> {
  const get = new GetObjectCommand({ Bucket: bucket, Key: archiveKey(snapshot) });
  return getSignedUrl(s3, get, { expiresIn: VALID_SECONDS });
}

/** Returns a function that removes the tarball of a snapshot. */
export function forgetArchive({ s3, bucket }: Bucket) {
  return async (snapshot: SnapshotRef): Promise<void> => {
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: archiveKey(snapshot) }));
  };
}

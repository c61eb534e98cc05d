import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import type { SnapshotRef } from '../../../../core/ports/platform.ts';
import { objectKeys } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';

/** Returns a function that removes the objects of a snapshot from the platform's bucket. */
export function forgetObjects({ s3, bucket: Bucket }: Pick<LambdaPlatformParts, 's3' | 'bucket'>) {
  return async (snapshot: SnapshotRef): Promise<void> => {
    for (const Key of Object.values(objectKeys(snapshot))) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  };
}

import type { S3Client } from '@aws-sdk/client-s3';
import { DeployError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { SnapshotRef, Upload } from '../../../core/ports/hosting-platform.ts';
import { onAws } from '../../aws/failures.ts';
import { uploadStream } from '../../aws/s3-upload.ts';
import { withUpload } from '../upload.ts';
import { verified } from '../verified.ts';
import { keys } from './keys.ts';
import type { Item, PlatformTable } from './table.ts';

const CODE = 'deploy:platform:upload_tarball';

/** The bucket with a platform's tarballs. */
export interface UploadParts {
  readonly table: PlatformTable;
  readonly s3: S3Client;
  readonly bucket: string;
  readonly clock: Clock;
}

/** Stores the tarball of a snapshot as the object `Key` of the platform's bucket, as `HostingPlatform.upload` does. */
export async function storeUpload(
  snapshot: SnapshotRef,
  upload: Upload,
  { table, s3, bucket: Bucket, clock, Key }: UploadParts & { readonly Key: string },
): Promise<void> {
  const key = keys.snapshot(snapshot);
  await withUpload(upload, (body) =>
    onAws(CODE, `the upload of ${snapshot.snapshot}`, async () => {
      if (!(await table.read(keys.app(snapshot)))) throw refused(`There is no application ${snapshot.app}.`);
      if (isStored(await table.read(key), snapshot, upload)) return;
      await uploadStream({ client: s3, object: { Bucket, Key } }, verified(body, upload.sha256));
      const fields = { sha256: upload.sha256, bytes: String(upload.bytes), at: String(clock.now()), state: 'pending' };
      if (await table.write(key, fields, { exists: false })) return;
      isStored(await table.read(key), snapshot, upload);
    }),
  );
}

/** Whether the snapshot is stored with the same bytes. Throws when it has others. */
function isStored(item: Item | null, { snapshot }: SnapshotRef, { sha256 }: Upload): boolean {
  if (!item) return false;
  if (item.sha256 === sha256) return true;
  throw refused(`The snapshot ${snapshot} exists with other bytes.`);
}

function refused(detail: string): DeployError {
  return new DeployError(CODE, detail, { retry: false });
}

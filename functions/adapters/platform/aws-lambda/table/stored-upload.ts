import { createHash } from 'node:crypto';
import type { S3Client } from '@aws-sdk/client-s3';
import { DeployError } from '../../../../core/errors.ts';
import type { SnapshotRef, Upload, Uploaded } from '../../../../core/ports/platform.ts';
import type { Clock } from '../../../../core/ports/system.ts';
import { withUpload } from '../../../../core/tarball/upload.ts';
import { onAws } from '../../../aws/failures.ts';
import { uploadStream } from '../../../aws/s3-upload.ts';
import { keys, type SnapshotItem } from './items.ts';
import type { PlatformTable } from './table.ts';

const CODE = 'deploy:platform:upload_tarball';

interface UploadParts {
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
): Promise<Uploaded> {
  const key = keys.snapshot(snapshot);
  return withUpload(upload, (body) =>
    onAws(CODE, `the upload of ${snapshot.snapshot}`, async () => {
      if (!(await table.read(keys.app(snapshot)))) throw refused(`There is no application ${snapshot.app}.`);
      const known = stateOf(await table.read(key), upload);
      if (known !== null) return known;
      await uploadStream({ client: s3, object: { Bucket, Key } }, verified(body, upload.sha256));
      const fields = { sha256: upload.sha256, bytes: upload.bytes, at: clock.now(), state: 'pending' } as const;
      if (await table.write(key, fields, { exists: false })) return 'stored';
      return stateOf(await table.read(key), upload) ?? 'stored';
    }),
  );
}

/** Returns whether the id is taken by other bytes; null when there is no such snapshot. */
function stateOf(item: SnapshotItem | null, { sha256 }: Upload): Uploaded | null {
  if (!item) return null;
  return item.sha256 === sha256 ? 'stored' : 'taken';
}

function refused(detail: string): DeployError {
  return new DeployError(CODE, detail, { retry: false });
}

/** Returns the bytes of an upload. Throws `deploy:platform:upload_tarball` at their end when the digest is another. */
async function* verified(body: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
  const digest = hash.digest('hex');
  if (digest === sha256) return;
  const detail = `The tarball has the SHA-256 ${digest}, not ${sha256}.`;
  throw new DeployError('deploy:platform:upload_tarball', detail, { retry: false });
}

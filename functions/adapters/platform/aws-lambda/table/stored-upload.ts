import { createHash } from 'node:crypto';
import { DeployError } from '../../../../core/errors.ts';
import type { SnapshotRef, Upload, Uploaded } from '../../../../core/ports/platform.ts';
import { withUpload } from '../../../../core/tarball/upload.ts';
import { onAws } from '../../../aws/failures.ts';
import { uploadStream } from '../../../aws/s3-upload.ts';
import { objectKeys } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys, type SnapshotItem } from './items.ts';

const CODE = 'deploy:platform:upload_tarball';

/** Stores the tarball of a snapshot, as `HostingPlatform.upload` does. */
export async function storeUpload(
  snapshot: SnapshotRef,
  upload: Upload,
  { table, s3, bucket: Bucket, clock }: LambdaPlatformParts,
): Promise<Uploaded> {
  const key = keys.snapshot(snapshot);
  return withUpload(upload, (body) =>
    onAws(CODE, `the upload of ${snapshot.snapshot}`, async () => {
      if (!(await table.read(keys.app(snapshot)))) throw refused(`There is no application ${snapshot.app}.`);
      const state = stateOf(await table.read(key), upload);
      if (state !== null) return state;
      const object = { Bucket, Key: objectKeys(snapshot).source };
      await uploadStream({ client: s3, object }, verified(body, upload.sha256));
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
  throw refused(detail);
}

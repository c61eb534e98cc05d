import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { SnapshotRef } from '../../../../core/ports/platform.ts';
import { cacheKey, objectKeys } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';

/** Longer than a build may wait and run. */
const VALID_SECONDS = 45 * 60;

/**
 * Stores what the build of a snapshot works with, and returns its address: the job holds the addresses of the tarball,
 * the release and the downloaded packages, each for one object and one method. The build has no other access to the
 * bucket.
 *
 * CodeBuild allows 5500 characters of environment variables in all, which four signed addresses are too long for.
 * https://docs.aws.amazon.com/codebuild/latest/userguide/troubleshooting.html
 */
export async function storeJob(
  snapshot: SnapshotRef,
  path: string | undefined,
  parts: Pick<LambdaPlatformParts, 's3' | 'bucket'>,
): Promise<string> {
  const { s3, bucket: Bucket } = parts;
  const { source, release, job } = objectKeys(snapshot);
  const sign = { expiresIn: VALID_SECONDS };
  const get = (Key: string) => getSignedUrl(s3, new GetObjectCommand({ Bucket, Key }), sign);
  const put = (Key: string) => getSignedUrl(s3, new PutObjectCommand({ Bucket, Key }), sign);
  const packages = cacheKey(snapshot);
  const addresses = {
    source: await get(source),
    release: await put(release),
    cacheGet: await get(packages),
    cachePut: await put(packages),
  };
  const Body = JSON.stringify({ ...addresses, path: path ?? '' });
  await s3.send(new PutObjectCommand({ Bucket, Key: job, Body, ContentType: 'application/json' }));
  return get(job);
}

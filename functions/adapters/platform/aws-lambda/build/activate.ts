import { randomUUID } from 'node:crypto';
import { StartBuildCommand } from '@aws-sdk/client-codebuild';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { ActivateOptions, SnapshotRef } from '../../../../core/ports/platform.ts';
import { onAws } from '../../../aws/failures.ts';
import { QUOTAS } from '../../../aws/quotas.ts';
import { cacheKey, objectKeys, snapshotId } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys } from '../table/items.ts';
import { keptOf, knownSnapshot } from '../table/snapshots.ts';
import { appProject } from './app-project.ts';
import { stopBuild } from './cancel-build.ts';

const CODE = 'deploy:tar:extract_failed';

export async function activateSnapshot(
  snapshot: SnapshotRef,
  options: ActivateOptions,
  parts: LambdaPlatformParts,
): Promise<void> {
  const start = async () => {
    const key = keys.snapshot(snapshot);
    const stored = await knownSnapshot(snapshot, parts);
    if (stored.state === 'pending') {
      // Only the stage that builds loads it.
      const { packSnapshot } = await import('./pack-snapshot.ts');
      if (await packSnapshot(snapshot, options, parts)) return;
      await announce(snapshot, options, parts);
    }
    const { state, token = '', job = '' } = stored.state === 'pending' ? await knownSnapshot(snapshot, parts) : stored;
    if (state !== 'starting') return;
    const build = await startBuild(snapshot, { token, job }, parts);
    const fields = { state: 'building', build, token: null, job: null } as const;
    if (await parts.table.write(key, fields, { attribute: 'state', is: 'starting' })) return;
    // Another activation has written the same build, or it was cancelled meanwhile.
    if ((await knownSnapshot(snapshot, parts)).state === 'failed') await stopBuild(build, parts);
  };
  const quota = parts.architecture === 'arm64' ? QUOTAS.buildsOnLambda : QUOTAS.buildsInContainers;
  await onAws(CODE, `the build of ${snapshot.snapshot}`, start, quota);
}

/**
 * Writes what the build will be started with, before it is started: the same token and the same address are the same
 * build (for five minutes, longer than a stage waits to be tried again), so two activations start one.
 */
async function announce(snapshot: SnapshotRef, options: ActivateOptions, parts: LambdaPlatformParts): Promise<void> {
  const job = await storeJob(snapshot, options, parts);
  const fields = { state: 'starting', token: randomUUID(), job, ...keptOf(options) } as const;
  await parts.table.write(keys.snapshot(snapshot), fields, { attribute: 'state', is: 'pending' });
}

async function startBuild(
  snapshot: SnapshotRef,
  { token, job }: { readonly token: string; readonly job: string },
  parts: LambdaPlatformParts,
): Promise<string> {
  const projectName = await appProject(snapshot, parts);
  const { build } = await parts.codeBuild.send(
    new StartBuildCommand({
      projectName,
      idempotencyToken: token,
      environmentVariablesOverride: [
        { name: 'JOB_URL', value: job, type: 'PLAINTEXT' },
        { name: 'SNAPSHOT', value: snapshotId(snapshot), type: 'PLAINTEXT' },
      ],
    }),
  );
  if (build?.id) return build.id;
  throw new Error('CodeBuild returned no build.');
}

/** Longer than a build may wait and run. */
const VALID_SECONDS = 45 * 60;

/**
 * Stores what the build of a snapshot works with, and returns its address: the job holds the addresses of the tarball,
 * the release, its cron and the downloaded packages, each for one object and one method. The build has no other access to the
 * bucket.
 *
 * CodeBuild allows 5500 characters of environment variables in all, which five signed addresses are too long for.
 * https://docs.aws.amazon.com/codebuild/latest/userguide/troubleshooting.html
 */
async function storeJob(
  snapshot: SnapshotRef,
  { path = '', settings = {}, clean = false, commit }: ActivateOptions,
  { s3, bucket: Bucket, table, sealingKey }: Pick<LambdaPlatformParts, 's3' | 'bucket' | 'table' | 'sealingKey'>,
): Promise<string> {
  const { source, release, cron, job } = objectKeys(snapshot);
  const sign = { expiresIn: VALID_SECONDS };
  const get = (Key: string) => getSignedUrl(s3, new GetObjectCommand({ Bucket, Key }), sign);
  const put = (Key: string) => getSignedUrl(s3, new PutObjectCommand({ Bucket, Key }), sign);
  const packages = cacheKey(snapshot);
  const addresses = {
    source: await get(source),
    release: await put(release),
    cron: await put(cron),
    cacheGet: await get(packages),
    cachePut: await put(packages),
  };
  const { user, app } = snapshot;
  // Sealed as they are stored.
  const { variables } = (await table.read(keys.app(snapshot))) ?? {};
  const Body = JSON.stringify({
    ...addresses,
    path,
    settings,
    clean,
    commit,
    app: { user, app },
    variables,
    sealingKey,
  });
  await s3.send(new PutObjectCommand({ Bucket, Key: job, Body, ContentType: 'application/json' }));
  return get(job);
}

import { randomUUID } from 'node:crypto';
import { StartBuildCommand } from '@aws-sdk/client-codebuild';
import type { SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { onAws } from '../../../aws/failures.ts';
import { keys } from '../../in-table/keys.ts';
import { knownSnapshot } from '../../in-table/known-snapshot.ts';
import { snapshotId } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { storeJob } from './build-job.ts';
import { stopBuild } from './cancel-build.ts';

const CODE = 'deploy:tar:extract_failed';

/** Starts the build of a snapshot that has none yet, as `HostingPlatform.activate` does. */
export async function activateSnapshot(
  snapshot: SnapshotRef,
  path: string | undefined,
  parts: LambdaPlatformParts,
): Promise<void> {
  await onAws(CODE, `the build of ${snapshot.snapshot}`, async () => {
    const { state } = await knownSnapshot(snapshot, parts);
    if (state !== 'pending') return;
    const build = await startBuild(snapshot, await storeJob(snapshot, path, parts), parts);
    const fields = { state: 'building', build, ...(path !== undefined && { path }) };
    if (await parts.table.write(keys.snapshot(snapshot), fields, { attribute: 'state', is: 'pending' })) return;
    // Cancelled meanwhile, or activated twice at once.
    await stopBuild(build, parts);
  });
}

/**
 * The token covers the attempts that the SDK makes. It is new at each call, because CodeBuild refuses a known token
 * that comes with other parameters, and a signed address is another one each time. A second build of the same bytes
 * does no harm.
 */
async function startBuild(snapshot: SnapshotRef, job: string, parts: LambdaPlatformParts): Promise<string> {
  const { build } = await parts.codeBuild.send(
    new StartBuildCommand({
      projectName: parts.project,
      idempotencyToken: randomUUID(),
      environmentVariablesOverride: [
        { name: 'JOB_URL', value: job, type: 'PLAINTEXT' },
        { name: 'SNAPSHOT', value: snapshotId(snapshot), type: 'PLAINTEXT' },
      ],
    }),
  );
  if (build?.id) return build.id;
  throw new Error('CodeBuild returned no build.');
}

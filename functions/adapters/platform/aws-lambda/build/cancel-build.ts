import { StopBuildCommand } from '@aws-sdk/client-codebuild';
import { DeployError } from '../../../../core/errors.ts';
import type { SnapshotRef } from '../../../../core/ports/platform.ts';
import { onAws } from '../../../aws/failures.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys } from '../table/items.ts';
import { storedResult } from '../table/snapshots.ts';
import { pollBuild } from './poll-build.ts';

const CODE = 'deploy:tar:extract_failed';
const CANCELLED = { state: 'failed', reason: 'The build was cancelled.', log: [], token: null, job: null } as const;
const PAUSE_MS = 500;
/** Below the 29 seconds in which API Gateway needs an answer. */
const STOP_LIMIT_MS = 20_000;

export async function cancelBuild(snapshot: SnapshotRef, parts: LambdaPlatformParts): Promise<void> {
  await onAws(CODE, `the end of the build of ${snapshot.snapshot}`, async () => {
    const key = keys.snapshot(snapshot);
    // An activation that runs at this moment finds the snapshot `failed`, and stops the build that it has started.
    for (const state of ['pending', 'starting']) {
      if (await parts.table.write(key, CANCELLED, { attribute: 'state', is: state })) return;
    }
    const item = await parts.table.read(key);
    if (item?.build === undefined || storedResult(item).state !== 'building') return;
    await stopBuild(item.build, parts);
    await untilEnded(snapshot, parts);
  });
}

/** Stops a build; one that has ended stays as it is. */
export async function stopBuild(id: string, { codeBuild }: Pick<LambdaPlatformParts, 'codeBuild'>): Promise<void> {
  await codeBuild.send(new StopBuildCommand({ id }));
}

async function untilEnded(snapshot: SnapshotRef, parts: LambdaPlatformParts): Promise<void> {
  const end = parts.clock.now() + STOP_LIMIT_MS;
  while ((await pollBuild(snapshot, parts)).state === 'building') {
    if (parts.clock.now() > end) {
      throw new DeployError(CODE, 'AWS CodeBuild has not ended the build yet.', { retry: true });
    }
    await parts.clock.sleep(PAUSE_MS);
  }
}

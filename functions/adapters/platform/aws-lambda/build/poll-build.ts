import { BatchGetBuildsCommand, type Build } from '@aws-sdk/client-codebuild';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { DeployError } from '../../../../core/errors.ts';
import type { Activation, SnapshotRef } from '../../../../core/ports/platform.ts';
import { onAws } from '../../../aws/failures.ts';
import { objectKeys } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys, type SnapshotItem } from '../table/items.ts';
import { knownSnapshot, storedResult } from '../table/snapshots.ts';
import type { Changes } from '../table/table.ts';
import { buildFailure, buildNotes, messageOf } from './build-failure.ts';

const CODE = 'deploy:tar:extract_failed';
const BEFORE_COMMANDS: readonly string[] = ['SUBMITTED', 'QUEUED', 'PROVISIONING', 'DOWNLOAD_SOURCE'];

/** Returns the progress of a snapshot's build, as `HostingPlatform.poll` does. It never waits: the end is an event. */
export function pollBuild(snapshot: SnapshotRef, parts: LambdaPlatformParts): Promise<Activation> {
  return onAws(CODE, `the build of ${snapshot.snapshot}`, async () => {
    const item = await knownSnapshot(snapshot, parts);
    if (item.state === 'building') return progressOf(snapshot, item, parts);
    return storedResult(item);
  });
}

async function progressOf(snapshot: SnapshotRef, item: SnapshotItem, parts: LambdaPlatformParts): Promise<Activation> {
  const build = await findBuild(item.build, parts);
  switch (build?.buildStatus) {
    case 'IN_PROGRESS':
      return { state: 'building', announced: true };
    case 'SUCCEEDED': {
      const { notes, ...found } = await buildNotes(build, parts);
      const said = [...(item.note === undefined ? [] : [item.note]), ...notes];
      const result = { state: 'ready', ...(said.length > 0 && { note: said.join(' ') }), ...found } as const;
      await end(snapshot, result, parts);
      return storedResult({ ...item, ...result });
    }
    case 'FAILED':
      return hasBegun(build) ? failed(snapshot, { item, build }, parts) : lost(snapshot, item, parts, build);
    case 'TIMED_OUT':
    case 'STOPPED':
      return failed(snapshot, { item, build }, parts);
    default:
      return lost(snapshot, item, parts);
  }
}

interface Ended {
  readonly item: SnapshotItem;
  readonly build: Build;
}

async function failed(snapshot: SnapshotRef, { item, build }: Ended, parts: LambdaPlatformParts): Promise<Activation> {
  const { reason, log } = await buildFailure(build, parts);
  const result = { state: 'failed', reason, log } as const;
  await end(snapshot, result, parts);
  return storedResult({ ...item, ...result });
}

/**
 * Whether the commands of a build have begun. What fails before is CodeBuild's or the stack's: an update of the stack may
 * have changed what the builder may read. https://docs.aws.amazon.com/codebuild/latest/APIReference/API_BuildPhase.html
 */
function hasBegun({ phases = [] }: Build): boolean {
  return !phases.some(
    ({ phaseType = '', phaseStatus }) => BEFORE_COMMANDS.includes(phaseType) && phaseStatus === 'FAILED',
  );
}

/**
 * A fault of CodeBuild, or a build that it does not know or did not begin: the next activation starts another one, once.
 */
async function lost(
  snapshot: SnapshotRef,
  { note }: SnapshotItem,
  parts: LambdaPlatformParts,
  build?: Build,
): Promise<Activation> {
  if (note !== undefined) {
    const said = build ? ` It said: ${messageOf(build) ?? 'nothing'}.` : '';
    const failure = {
      reason: `AWS CodeBuild lost the build twice. Deploy again to build it once more.${said}`,
      log: [],
    };
    await end(snapshot, { state: 'failed', ...failure }, parts);
    return { state: 'failed', ...failure };
  }
  const again = { state: 'pending', build: null, note: 'AWS CodeBuild lost the build, which began again.' } as const;
  await parts.table.write(keys.snapshot(snapshot), again, { exists: true });
  throw new DeployError(CODE, 'AWS CodeBuild lost the build; it is started again.', { retry: true });
}

async function findBuild(id: string | undefined, { codeBuild }: LambdaPlatformParts): Promise<Build | undefined> {
  if (id === undefined) return undefined;
  const { builds } = await codeBuild.send(new BatchGetBuildsCommand({ ids: [id] }));
  return builds?.[0];
}

/** Keeps the result. */
async function end(snapshot: SnapshotRef, result: Changes<SnapshotItem>, parts: LambdaPlatformParts): Promise<void> {
  await parts.table.write(keys.snapshot(snapshot), result, { exists: true });
  await removeInputs(snapshot, parts);
}

/** Removes the job and the tarball, which a build that has ended needs no more; if that fails, they expire. */
export async function removeInputs(
  snapshot: SnapshotRef,
  { s3, bucket: Bucket }: Pick<LambdaPlatformParts, 's3' | 'bucket'>,
): Promise<void> {
  const { job, source } = objectKeys(snapshot);
  await Promise.all([job, source].map((Key) => s3.send(new DeleteObjectCommand({ Bucket, Key })).catch(() => {})));
}

import { BatchGetBuildsCommand } from '@aws-sdk/client-codebuild';
import type { PrintedLine } from '../../../../api/shapes/log.ts';
import type { BuildOutput, SnapshotRef } from '../../../../core/ports/platform.ts';
import type { Clock } from '../../../../core/ports/system.ts';
import { onAws } from '../../../aws/failures.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys } from '../table/items.ts';
import type { PlatformTable } from '../table/table.ts';
import { type BuildLogStream, ownLines, readBuildLog } from './build-log.ts';

interface BuildReading {
  /** Whether to wait for what the build will print. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

/** Returns the output of the builds of snapshots in the platform's table; `linesOf` reads that of one. */
function tableBuildOutput(
  table: Pick<PlatformTable, 'read'>,
  linesOf: (snapshot: SnapshotRef, reading: BuildReading) => AsyncIterable<readonly PrintedLine[]>,
): BuildOutput {
  return {
    read: (snapshot, follow, signal) =>
      onAws('request:failed', `the build log of ${snapshot.snapshot}`, async () =>
        (await table.read(keys.snapshot(snapshot))) ? linesOf(snapshot, { follow, signal }) : null,
      ),
  };
}

type BuildOutputParts = Pick<LambdaPlatformParts, 'table' | 'codeBuild' | 'logs' | 'clock'>;

const PAUSE_MS = 2_000;

/** Returns the output of builds in CodeBuild. */
export function lambdaBuildOutput(parts: BuildOutputParts): BuildOutput {
  return tableBuildOutput(parts.table, (snapshot, reading) => linesOf(snapshot, reading, parts));
}

async function* linesOf(
  snapshot: SnapshotRef,
  { follow, signal }: BuildReading,
  parts: BuildOutputParts,
): AsyncGenerator<readonly PrintedLine[]> {
  const filter = ownLines();
  let from: string | undefined;
  while (!signal.aborted) {
    const build = await buildOf(snapshot, parts);
    const page = build.at ? await readBuildLog(parts.logs, build.at, from) : { lines: [], next: from };
    const lines = filter(page.lines);
    if (lines.length > 0) yield lines;
    const isEnd = page.next === from;
    from = page.next;
    if (isEnd && (build.isOver || !follow)) return;
    if (isEnd) await pause(parts.clock, signal);
  }
}

/** CloudWatch has the last lines some seconds after the end of a build. */
async function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  await clock.sleep(PAUSE_MS, signal);
}

interface BuildState {
  readonly at: BuildLogStream | null;
  readonly isOver: boolean;
}

async function buildOf(snapshot: SnapshotRef, { table, codeBuild }: BuildOutputParts): Promise<BuildState> {
  const item = await table.read(keys.snapshot(snapshot));
  if (!item) return { at: null, isOver: true };
  if (item.build === undefined) return { at: null, isOver: false };
  const { builds } = await onAws('request:failed', 'the state of a build', () =>
    codeBuild.send(new BatchGetBuildsCommand({ ids: [item.build ?? ''] })),
  );
  const { groupName: group, streamName: stream } = builds?.[0]?.logs ?? {};
  return { at: group && stream ? { group, stream } : null, isOver: builds?.[0]?.buildStatus !== 'IN_PROGRESS' };
}

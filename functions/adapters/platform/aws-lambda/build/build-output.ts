import { BatchGetBuildsCommand } from '@aws-sdk/client-codebuild';
import { BUILD_FOUND } from '../../../../core/output/build-reason.ts';
import type { BuildOutput, SnapshotRef } from '../../../../core/ports/platform.ts';
import type { PrintedLine } from '../../../../core/ports/processes.ts';
import { onAws } from '../../../aws/failures.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys, type SnapshotItem } from '../table/items.ts';
import { type BuildLogStream, logPlace, ownLines, readBuildLog } from './build-log.ts';

interface BuildReading {
  /** Whether to wait for what the build will print. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

type BuildOutputParts = Pick<LambdaPlatformParts, 'table' | 'codeBuild' | 'logs' | 'clock'>;

const PAUSE_MS = 2_000;

export function lambdaBuildOutput(parts: BuildOutputParts): BuildOutput {
  return {
    read: (snapshot, follow, signal) =>
      onAws('request:failed', `the build log of ${snapshot.snapshot}`, async () =>
        (await parts.table.read(keys.snapshot(snapshot))) ? linesOf(snapshot, { follow, signal }, parts) : null,
      ),
  };
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
    if (build.without) return yield build.without;
    const page = build.at ? await readBuildLog(parts.logs, build.at, from) : { lines: [], next: from };
    const lines = filter(page.lines).filter(({ line }) => !line.startsWith(BUILD_FOUND));
    if (lines.length > 0) yield lines;
    const isEnd = page.next === from;
    from = page.next;
    if (isEnd && (build.isOver || !follow)) return;
    // CloudWatch has the last lines some seconds after the end of a build.
    if (isEnd) await parts.clock.sleep(PAUSE_MS, signal);
  }
}

interface SnapshotBuild {
  readonly at: BuildLogStream | null;
  readonly isOver: boolean;
  /** What is said of a release that was made without CodeBuild. */
  readonly without?: readonly PrintedLine[];
}

async function buildOf(snapshot: SnapshotRef, { table, codeBuild }: BuildOutputParts): Promise<SnapshotBuild> {
  const item = await table.read(keys.snapshot(snapshot));
  if (!item) return { at: null, isOver: true };
  if (item.build === undefined) return { at: null, isOver: false, ...(item.log && { without: printed(item) }) };
  const { builds } = await onAws('request:failed', 'the state of a build', () =>
    codeBuild.send(new BatchGetBuildsCommand({ ids: [item.build ?? ''] })),
  );
  const [build] = builds ?? [];
  return { at: logPlace(build), isOver: build?.buildStatus !== 'IN_PROGRESS' };
}

function printed({ at, log = [] }: SnapshotItem): readonly PrintedLine[] {
  return log.map((line) => ({ at: new Date(at).toISOString(), stream: 'stdout', line }));
}

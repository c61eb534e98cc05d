import type { PrintedLine } from '../../../api/shapes/log.ts';
import type { BuildOutput, SnapshotRef } from '../../../core/ports/platform.ts';
import { onAws } from '../../aws/failures.ts';
import { keys } from './keys.ts';
import type { PlatformTable } from './table.ts';

/** Options of reading a build's output. */
export interface BuildReading {
  /** Whether to wait for what the build will print. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

/** Returns the output of the builds of snapshots in the platform's table; `linesOf` reads that of one. */
export function tableBuildOutput(
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

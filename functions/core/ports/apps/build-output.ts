import type { PrintedLine } from '../../../api/shapes/log.ts';
import type { SnapshotRef } from '../hosting-platform.ts';

/** What the builds of snapshots print. */
export interface BuildOutput {
  /**
   * Returns the lines of a build in batches, oldest first: with `follow` until the build has ended; null for a snapshot
   * that the platform does not have. Aborting the signal ends the iteration without an error. Throws `request:failed`,
   * also while iterating.
   */
  read(
    snapshot: SnapshotRef,
    follow: boolean,
    signal: AbortSignal,
  ): Promise<AsyncIterable<readonly PrintedLine[]> | null>;
}

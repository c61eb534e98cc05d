import type { PrintedLine } from '../../../api/shapes/log.ts';
import type { AppRef } from '../hosting-platform.ts';

/** The lines to read. */
export interface OutputQuery {
  /** The number of last lines. */
  readonly lines: number;
  /** Whether new lines are wanted too, as they come. */
  readonly follow: boolean;
}

/** The output of applications. */
export interface AppOutput {
  /**
   * Returns lines in batches, oldest first, until all are read or, with `follow`, the signal is aborted; null for an
   * unknown application. Aborting the signal ends the iteration without an error. Throws `request:failed`, also while
   * iterating.
   */
  read(app: AppRef, query: OutputQuery, signal: AbortSignal): Promise<AsyncIterable<readonly PrintedLine[]> | null>;
}

import type { RunnerLimits } from '../settings.ts';

export type CrashLimits = Pick<
  RunnerLimits,
  'crashPauseMs' | 'crashPauseMaxMs' | 'crashLimit' | 'crashWindowMs' | 'overrunLimit' | 'overrunWindowMs' | 'keepMs'
>;

/** The crashes of a process since its last start on request. */
export interface Crashes {
  /** How often in a row it has ended before it had run for the whole window. */
  readonly inARow: number;
  /** The same of ends for too much memory, which is used up slowly: they have a window of their own. */
  readonly overruns: number;
  /** Which of both has become a loop, until it has run for that window. */
  readonly loop: 'inARow' | 'overruns' | null;
  /** How often it was started again. */
  readonly restarts: number;
}

export const NO_CRASHES: Crashes = { inARow: 0, overruns: 0, loop: null, restarts: 0 };

/** How a process has ended unexpectedly. `ranMs` is 0 if it did not start. */
export interface CrashEnd {
  readonly ranMs: number;
  readonly tooLarge: boolean;
}

/** Counts a crash. The pause before the next start doubles with each crash in a row. */
export function afterCrash(
  crashes: Crashes,
  { ranMs, tooLarge }: CrashEnd,
  limits: CrashLimits,
): { readonly crashes: Crashes; readonly pauseMs: number } {
  const row = tooLarge ? 'overruns' : 'inARow';
  const windowMs = tooLarge ? limits.overrunWindowMs : limits.crashWindowMs;
  const count = ranMs > windowMs ? 1 : crashes[row] + 1;
  const isLoop = count >= (tooLarge ? limits.overrunLimit : limits.crashLimit);
  return {
    crashes: { ...crashes, [row]: count, loop: crashes.loop ?? (isLoop ? row : null) },
    pauseMs: Math.min(limits.crashPauseMs * 2 ** (count - 1), limits.crashPauseMaxMs),
  };
}

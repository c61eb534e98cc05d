import { backOff } from '../../functions/core/concurrency.ts';

/** The shortest and the longest pause between two attempts. */
export interface BackOff {
  readonly minPauseMs: number;
  readonly maxPauseMs: number;
}

/** Returns the pause after so many failures: exponential with jitter, so that clients do not reconnect all at once. */
export function backOffMs(failures: number, { minPauseMs, maxPauseMs }: BackOff): number {
  const limit = backOff(failures + 1, { first: minPauseMs, most: maxPauseMs });
  return minPauseMs + Math.random() * (limit - minPauseMs);
}

/** Resolves after the time, or as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

import type { Limits } from '../settings.ts';

/** The decision after a crash: start again after a pause, or give up. */
type CrashDecision = { readonly retryAfterMs: number } | { readonly givenUp: true };

/** Counts the crashes of a process. */
interface Crashes {
  /** Records a crash; `now` in milliseconds of any monotonic clock. */
  record(now: number): CrashDecision;
  /** Forgets all crashes, because a start was requested. */
  reset(): void;
}

/**
 * Pauses double with each crash and start over after a window without one; too many crashes within it end the restarts.
 */
export function crashes(limits: Limits): Crashes {
  let recent: number[] = [];
  let pause = 0;
  return {
    record(now) {
      const last = recent.at(-1);
      const quiet = last === undefined || now - last > limits.crashWindowMs + pause;
      pause = quiet ? limits.crashPauseMs : Math.min(pause * 2, limits.crashPauseMaxMs);
      recent = [...recent.filter((time) => now - time < limits.crashWindowMs), now];
      return recent.length >= limits.crashLimit ? { givenUp: true } : { retryAfterMs: pause };
    },
    reset() {
      recent = [];
      pause = 0;
    },
  };
}

/** Counts the crashes of a process, and apart from them its ends for too much memory, which is used up slowly. */
export interface Endings {
  record(ending: { readonly tooLarge: boolean }): CrashDecision;
  reset(): void;
}

export function endings(limits: Limits): Endings {
  const ordinary = crashes(limits);
  const overruns = crashes({ ...limits, crashLimit: limits.overrunLimit, crashWindowMs: limits.overrunWindowMs });
  return {
    record: ({ tooLarge }) => (tooLarge ? overruns : ordinary).record(performance.now()),
    reset: () => {
      ordinary.reset();
      overruns.reset();
    },
  };
}

/** Returns the end of a sentence about a crash: what follows, after the pause or at a request after it. */
export function whatFollows(decision: CrashDecision, awaitsRequest = false): string {
  if ('givenUp' in decision) return 'it crashed too often and is not started again';
  const { retryAfterMs } = decision;
  return awaitsRequest ? `a request after ${retryAfterMs} ms starts it again` : `next start in ${retryAfterMs} ms`;
}

import type { Limits } from '../settings.ts';

/** What to do after a crash: try again after so many milliseconds, or not any more. */
export type Verdict = { readonly retryAfterMs: number } | { readonly givenUp: true };

/** Counts an application's crashes. */
export interface Crashes {
  /** A crash now (`now` in milliseconds of any steady clock). */
  record(now: number): Verdict;
  /** Forgets all crashes: somebody asked for a fresh start. */
  reset(): void;
}

/** Pauses that double with each crash and start over when it has been quiet; too many within the window end it. */
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

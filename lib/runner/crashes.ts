import type { ProcessLog } from './app-log.ts';
import type { Ending } from './processes/app-process.ts';
import type { RunnerLimits } from './settings.ts';

/** How a process has ended unexpectedly, as a sentence or its end. */
export type Crash = Pick<Ending, 'how' | 'tooLarge'>;

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
export function crashes(limits: RunnerLimits): Crashes {
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

/** Starts a process again after each crash, until it has crashed too often. */
export class Restarts {
  /** How often it was started again. */
  count = 0;
  readonly #ordinary: Crashes;
  /** Ends for too much memory, which is used up slowly, are counted apart. */
  readonly #overruns: Crashes;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    limits: RunnerLimits,
    private readonly log: Pick<ProcessLog, 'note'>,
  ) {
    this.#ordinary = crashes(limits);
    this.#overruns = crashes({ ...limits, crashLimit: limits.overrunLimit, crashWindowMs: limits.overrunWindowMs });
  }

  /**
   * Notes a crash, and calls `again` after the pause. Returns the state until then; `crashed`: it is not called. One that
   * `awaitsRequest` is started by a request after the pause.
   */
  after(
    { how, tooLarge, awaitsRequest = false }: Crash & { readonly awaitsRequest?: boolean },
    again: () => void,
  ): 'restarting' | 'crashed' {
    const decision = (tooLarge ? this.#overruns : this.#ordinary).record(performance.now());
    this.log.note(`${how}; ${whatFollows(decision, awaitsRequest)}`);
    if ('givenUp' in decision) return 'crashed';
    this.#timer = setTimeout(() => {
      if (!awaitsRequest) this.count += 1;
      again();
    }, decision.retryAfterMs);
    return 'restarting';
  }

  /** Drops the start that waits for the end of a pause. */
  cancel(): void {
    clearTimeout(this.#timer);
  }

  /** Forgets all crashes, because a start was requested. */
  reset(): void {
    this.#ordinary.reset();
    this.#overruns.reset();
  }
}

function whatFollows(decision: CrashDecision, awaitsRequest: boolean): string {
  if ('givenUp' in decision) return 'it crashed too often and is not started again';
  const { retryAfterMs } = decision;
  return awaitsRequest ? `a request after ${retryAfterMs} ms starts it again` : `next start in ${retryAfterMs} ms`;
}

/** The time, as a port so that the core has neither a clock nor timers of its own. */
export interface Clock {
  /** Returns the milliseconds since 1970. */
  now(): number;
  /** Resolves after that many milliseconds, or as soon as the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

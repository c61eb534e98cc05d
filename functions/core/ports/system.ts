/** The time, as a port so that the core has neither a clock nor timers. */
export interface Clock {
  /** Returns the milliseconds since 1970. */
  now(): number;
  /** Resolves after that many milliseconds, or as soon as the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface Ids {
  /** Returns a UUID, version 4. */
  uuid(): string;
  /** Returns that many random lower-case hex digits. */
  hex(digits: number): string;
  /** Returns a random number in [0, 1), for jitter. */
  fraction(): number;
}

/** Writes a line to the function's log, for operators only: errors come with their causes. */
export type Trace = (event: string, fields: Readonly<Record<string, unknown>>) => void;

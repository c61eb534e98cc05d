/** The time, as a port so that the core has none of its own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** Random identifiers. */
export interface Ids {
  /** A UUID, version 4. */
  uuid(): string;
  /** That many random lower-case hex digits. */
  hex(digits: number): string;
  /** A number in [0, 1), for jitter. */
  fraction(): number;
}

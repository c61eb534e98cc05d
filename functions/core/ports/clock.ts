/** The time, as a port so that the core has none of its own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

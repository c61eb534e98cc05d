/** Random identifiers. */
export interface Ids {
  /** Returns a UUID, version 4. */
  uuid(): string;
  /** Returns that many random lower-case hex digits. */
  hex(digits: number): string;
  /** Returns a random number in [0, 1), for jitter. */
  fraction(): number;
}

/** Random identifiers. */
export interface Ids {
  /** A UUID, version 4. */
  uuid(): string;
  /** That many random lower-case hex digits. */
  hex(digits: number): string;
  /** A number in [0, 1), for jitter. */
  fraction(): number;
}

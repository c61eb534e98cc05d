const DAY = 24 * 60 * 60;

/** How long what is not kept for ever is kept, in seconds; the table's TTL removes it some time after. */
export const retention = {
  /** A reader that was away for longer starts again from what there is. */
  change: 90 * DAY,
  payload: 30 * DAY,
  /** No sender repeats a delivery later than that. */
  delivery: 7 * DAY,
  gate: 30 * DAY,
} as const;

/** The `expires` of an item, in seconds since 1970. */
export function expiry(now: number, seconds: number): number {
  return Math.ceil(now / 1000) + seconds;
}

const DAY_SECONDS = 24 * 60 * 60;

/** The retention of what expires, in seconds. It is removed some time later. */
export const RETENTION_SECONDS = {
  /** A reader that was away for longer starts from the oldest change that is left. */
  change: 90 * DAY_SECONDS,
  payload: 30 * DAY_SECONDS,
  /** No sender repeats a delivery later than that. */
  delivery: 7 * DAY_SECONDS,
  /** A job of cron that runs once a year has failed, and succeeds the next time. */
  incident: 400 * DAY_SECONDS,
  commitState: 30 * DAY_SECONDS,
} as const;

/** Returns the `expires` of an item, in seconds since 1970; `now` is in milliseconds. */
export function expiry(now: number, seconds: number): number {
  return Math.ceil(now / 1000) + seconds;
}

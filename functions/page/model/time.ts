const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns how long ago a time was, in a few characters: `now`, `12s ago`, `3h ago`; a date when it is over a week. */
export function ago(time: number, now: number): string {
  const passed = Math.max(0, now - time);
  if (passed < 5 * SECOND) return 'now';
  if (passed < MINUTE) return `${Math.floor(passed / SECOND)}s ago`;
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)}m ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)}h ago`;
  if (passed < 7 * DAY) return `${Math.floor(passed / DAY)}d ago`;
  return new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', ...yearUnlessThis(time, now) }).format(time);
}

function yearUnlessThis(time: number, now: number): Intl.DateTimeFormatOptions {
  return new Date(time).getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' };
}

/** Returns a time in full, in the reader's own zone and form, with the zone's name. */
export function inFull(time: number): string {
  return new Intl.DateTimeFormat(undefined, {
    dateStyle: 'medium',
    timeStyle: 'long',
  }).format(time);
}

/** Returns a time of day with seconds, in the reader's own zone. */
export function timeOfDay(time: number): string {
  return new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(time);
}

/** Returns a duration in milliseconds: `85 ms`, `1.5 s`, `2m 05s`, `1h 04m`. */
export function duration(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 9.95 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${two(Math.floor((seconds % 3600) / 60))}m`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

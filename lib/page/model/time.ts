const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const NOW_MS = 5 * SECOND;
/** Units of relative times: `unit` is used while less than `below` has passed. */
const UNITS = [
  { below: MINUTE, unit: SECOND, sign: 's' },
  { below: HOUR, unit: MINUTE, sign: 'm' },
  { below: DAY, unit: HOUR, sign: 'h' },
  { below: 7 * DAY, unit: DAY, sign: 'd' },
] as const;

/** Cached: creating a formatter costs as much as 100 uses. */
const formats = {
  day: new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' }),
  dayOfYear: new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' }),
  full: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' }),
  clock: new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }),
  time: new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' }),
};

/** Returns how long ago a time was, in a few characters: `now`, `12s ago`, `3h ago`; a date after a week. */
export function ago(time: number, now: number): string {
  const passed = Math.max(0, now - time);
  if (passed < NOW_MS) return 'now';
  const counted = UNITS.find(({ below }) => passed < below);
  if (counted) return `${Math.floor(passed / counted.unit)}${counted.sign} ago`;
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? formats.day : formats.dayOfYear).format(time);
}

/** Returns when that text changes next, in milliseconds since 1970; Infinity for a date, which stays. */
export function agoChangesAt(time: number, now: number): number {
  const passed = Math.max(0, now - time);
  if (passed < NOW_MS) return time + NOW_MS;
  const counted = UNITS.find(({ below }) => passed < below);
  return counted ? time + (Math.floor(passed / counted.unit) + 1) * counted.unit : Infinity;
}

/** Returns how long it takes until a time, in a few characters: `in 59m`, `in 12s`, `now`. */
export function until(time: number, now: number): string {
  const left = time - now;
  if (left < SECOND) return 'now';
  const { unit, sign } = UNITS.find(({ below }) => left < below) ?? UNITS[3];
  return `in ${Math.floor(left / unit)}${sign}`;
}

/** Returns a time in full, in the reader's own zone and form, with the zone's name. */
export function inFull(time: number): string {
  return formats.full.format(time);
}

/** Returns a time of day, in the reader's own zone. */
export function clock(time: number): string {
  return formats.clock.format(time);
}

/** Returns a time of day with seconds, in the reader's own zone. */
export function timeOfDay(time: number): string {
  return formats.time.format(time);
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

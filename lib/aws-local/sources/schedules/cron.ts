import { OperatorError } from '../../../processes/operator-error.ts';

/** When a schedule is due next, strictly after the given time; `undefined` when never again. Times are UTC. */
export type Timetable = (after: Date) => Date | undefined;

const unitsMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * An EventBridge expression: `rate(5 minutes)`, `cron(0 3 ? * MON-FRI *)` or `at(2030-01-01T00:00:00)`.
 *
 * @throws OperatorError for what is not understood, such as the letters L, W and # in cron
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 */
export function parseSchedule(expression: string): Timetable {
  const [, kind, body = ''] = /^(rate|cron|at)\((.+)\)$/.exec(expression.trim()) ?? [];
  if (kind === 'rate') return rate(body, expression);
  if (kind === 'cron') return cron(body, expression);
  if (kind === 'at' && !Number.isNaN(Date.parse(`${body}Z`))) return once(new Date(`${body}Z`));
  throw unknown(expression);
}

function rate(body: string, expression: string): Timetable {
  const [, count, unit = ''] = /^(\d+) (minute|hour|day)s?$/.exec(body) ?? [];
  const everyMs = Number(count) * (unitsMs[unit] ?? Number.NaN);
  if (!(everyMs > 0)) throw unknown(expression);
  return (after) => new Date(after.getTime() + everyMs);
}

function once(time: Date): Timetable {
  return (after) => (time > after ? time : undefined);
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FARTHEST_DAYS = 5 * 366;

function cron(body: string, expression: string): Timetable {
  const fields = body.trim().split(/\s+/);
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = ''] = fields;
  if (fields.length !== 6) throw unknown(expression);
  const minutes = numbers(minute, 0, 59);
  const hours = numbers(hour, 0, 23);
  const days = numbers(dayOfMonth, 1, 31);
  const ofYear = numbers(month, 1, 12, months);
  const ofWeek = numbers(dayOfWeek, 1, 7, weekdays);
  const years = numbers(year, 1970, 2199);
  const isDay = (time: Date) =>
    years.has(time.getUTCFullYear()) &&
    ofYear.has(time.getUTCMonth() + 1) &&
    days.has(time.getUTCDate()) &&
    ofWeek.has(time.getUTCDay() + 1);
  return (after) => {
    const first = Math.floor(after.getTime() / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
    const end = first + FARTHEST_DAYS * DAY_MS;
    for (let time = first; time < end; ) {
      const date = new Date(time);
      if (!isDay(date)) time = startOf(time, DAY_MS) + DAY_MS;
      else if (!hours.has(date.getUTCHours())) time = startOf(time, HOUR_MS) + HOUR_MS;
      else if (!minutes.has(date.getUTCMinutes())) time += MINUTE_MS;
      else return date;
    }
    return undefined;
  };
}

function startOf(time: number, unitMs: number): number {
  return Math.floor(time / unitMs) * unitMs;
}

/** The numbers that a field names: `*`, `?`, `5`, `1-5`, `0/15`, `MON-FRI` and lists of these. */
function numbers(field: string, least: number, most: number, names: readonly string[] = []): ReadonlySet<number> {
  const numberOf = (text: string): number => {
    const named = names.indexOf(text.toUpperCase());
    const value = named === -1 ? Number(text) : named + least;
    if (text !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new OperatorError(`The cron field ${field} is not understood on this machine.`);
  };
  const ofPart = (part: string): number[] => {
    const [range = '', step] = part.split('/');
    const [from = '', to] = range.split('-');
    const any = range === '*' || range === '?';
    const first = any ? least : numberOf(from);
    const last = to === undefined ? (any || step ? most : first) : numberOf(to);
    const by = step === undefined ? 1 : Math.max(1, Number(step) || 1);
    return Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, index) => first + index * by);
  };
  return new Set(field.split(',').flatMap(ofPart));
}

function unknown(expression: string): OperatorError {
  return new OperatorError(`The schedule ${expression} is not understood on this machine.`);
}

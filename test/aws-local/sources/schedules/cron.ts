import { Cron } from 'croner';
import { OperatorError } from '../../../../lib/files/errors.ts';

/**
 * Returns the first time strictly after the given one at which a schedule is due; `undefined` for none. Times are UTC.
 */
export type Timetable = (after: Date) => Date | undefined;

const UNITS_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Reads an EventBridge expression: `rate(5 minutes)`, `cron(0 3 ? * MON-FRI *)` or `at(2030-01-01T00:00:00)`.
 *
 * @throws OperatorError for an expression in another form
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 */
export function parseSchedule(expression: string): Timetable {
  const [, kind, body = ''] = /^(rate|cron|at)\((.+)\)$/.exec(expression.trim()) ?? [];
  if (kind === 'rate') return rate(body, expression);
  if (kind === 'cron') return cron(body, expression);
  if (kind === 'at' && !Number.isNaN(Date.parse(`${body}Z`))) return once(new Date(`${body}Z`));
  throw notUnderstood(expression);
}

function rate(body: string, expression: string): Timetable {
  const [, count, unit = ''] = /^(\d+) (minute|hour|day)s?$/.exec(body) ?? [];
  const everyMs = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  if (!(everyMs > 0)) throw notUnderstood(expression);
  return (after) => new Date(after.getTime() + everyMs);
}

function once(time: Date): Timetable {
  return (after) => (time > after ? time : undefined);
}

/**
 * AWS has no field for seconds and always one for years; weekdays are 1 to 7 from Sunday, and `6L` is the last Friday.
 */
function cron(body: string, expression: string): Timetable {
  const fields = body.trim().split(/\s+/);
  const [minute, hour, dayOfMonth, month, dayOfWeek = '', year] = fields;
  // The parser accepts 0 and 8 as weekdays.
  if (fields.length !== 6 || /(?:^|[,-])[089]/.test(dayOfWeek)) throw notUnderstood(expression);
  const weekday = dayOfWeek.replace(/(\w)L\b/gi, '$1#L');
  const pattern = ['0', minute, hour, dayOfMonth, month, weekday, year].join(' ');
  try {
    const options = { timezone: 'Etc/UTC', alternativeWeekdays: true, domAndDow: true, sloppyRanges: true };
    const parsed = new Cron(pattern, options);
    return (after) => parsed.nextRun(after) ?? undefined;
  } catch (cause) {
    throw notUnderstood(expression, cause);
  }
}

function notUnderstood(expression: string, cause?: unknown): OperatorError {
  return new OperatorError(`The schedule ${expression} is not supported.`, { cause });
}

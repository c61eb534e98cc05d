import { join } from 'node:path';
import { Cron } from 'croner';
import * as v from 'valibot';
import { manifestObject, textOf } from '../manifest.ts';

/** A command that runs at the times of a schedule. */
export interface CronEntry {
  readonly command: string;
  /** Five fields, six with seconds before them, or a name such as `@daily`. */
  readonly schedule: string;
  /** Of the schedule, such as `Europe/Berlin`; absent: UTC. */
  readonly timezone?: string;
}

const MOST_ENTRIES = 20;
const LONGEST_SCHEDULE = 200;
/** Keys of Dokku's entries that change nothing here. */
const OF_DOKKU: readonly string[] = ['id', 'maintenance', 'concurrency_policy'];
const Entry = v.looseObject({
  command: v.pipe(v.string(), v.trim(), v.nonEmpty()),
  schedule: v.string(),
  timezone: v.exactOptional(v.string()),
});
const File = v.object({ cron: v.optional(v.array(Entry), []) });

/**
 * Returns the entries of `cron` in the app.json of a folder, in Dokku's form
 * (https://dokku.com/docs/processes/scheduled-cron-tasks/); none when there is no such file or field. Throws an Error with
 * one sentence that names the entry that cannot run, and why.
 */
export async function cronIn(folder: string): Promise<readonly CronEntry[]> {
  const text = await textOf(join(folder, 'app.json'));
  if (text === undefined) return [];
  const file = v.safeParse(File, manifestObject(text, 'app.json'));
  if (!file.success) {
    throw new Error('app.json: "cron" must be a list of {"command": "node clean.js", "schedule": "0 3 * * *"}.');
  }
  const { cron } = file.output;
  if (cron.length > MOST_ENTRIES) throw new Error(`app.json: "cron" has more than ${MOST_ENTRIES} entries.`);
  return cron.map(({ command, schedule, timezone, ...others }) => {
    const unknown = Object.keys(others).find((key) => !OF_DOKKU.includes(key));
    if (unknown !== undefined) {
      const key = unknown.slice(0, LONGEST_SCHEDULE);
      throw new Error(`app.json: "${key}" of the cron command "${command}" is not understood.`);
    }
    const entry = { command, schedule, ...(timezone !== undefined && { timezone }) };
    timesOf(entry);
    return entry;
  });
}

/** Returns what the incidents of a cron entry are about. */
export function jobSubject({ command, schedule }: CronEntry): string {
  return `The job ${JSON.stringify(command)} (${schedule})`;
}

/** Returns when an entry is due. `run` is called at each of these times until the result is stopped. Throws as above. */
export function timesOf({ command, schedule, timezone = 'UTC' }: CronEntry, run?: () => void): Cron {
  if (!isTimezone(timezone)) {
    const zone = timezone.slice(0, LONGEST_SCHEDULE);
    throw new Error(
      `app.json: the time zone "${zone}" of the cron command "${command}" is not known: name one as "Europe/Berlin".`,
    );
  }
  const refused = (why: string) =>
    new Error(
      `app.json: the schedule "${schedule.slice(0, LONGEST_SCHEDULE)}" of the cron command "${command}" ${why}.`,
    );
  try {
    // The package takes a date too.
    if (/:|^(?:CRON_)?TZ=/.test(schedule) || schedule.length > LONGEST_SCHEDULE) throw new Error(NOT_FIELDS);
    const times = new Cron(schedule, { timezone, mode: '5-or-6-parts' }, run);
    if (times.nextRun()) return times;
  } catch (cause) {
    throw refused(`is not understood: ${reasonOf(cause)}`);
  }
  throw refused('never comes');
}

const NOT_FIELDS =
  'it has five fields (minute, hour, day, month, weekday), or is @daily; in UTC, or in that of "timezone" beside it';

/** Names of the IANA database alone: a distance from UTC, such as +02:00, would be wrong half of the year. */
function isTimezone(name: string): boolean {
  if (!/^[A-Za-z][\w/+-]{1,63}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The reason of the parser's error, without its prefix. */
function reasonOf(cause: unknown): string {
  const said = (cause instanceof Error ? cause.message : '').replace(/^CronPattern: (?:Syntax error, )?/, '');
  return /^(?:invalid configuration|mode )/.test(said) ? NOT_FIELDS : said.replace(/\.$/, '');
}

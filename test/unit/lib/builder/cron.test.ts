import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cronIn, timesOf } from '../../../../lib/builder/start/cron.ts';
import { newFolder } from '../../../support/new-folder.ts';

const command = 'node clean.js';

async function found(...entries: readonly object[]) {
  const folder = newFolder('cron');
  const cron = entries.map((entry) => ({ command, ...entry }));
  await writeFile(join(folder, 'app.json'), JSON.stringify({ name: 'hello', expo: {}, cron }));
  return cronIn(folder);
}

/** The times after one, without seconds. */
function after(start: string, schedule: string, timezone?: string): readonly string[] {
  const times = timesOf({ command, schedule, ...(timezone !== undefined && { timezone }) });
  const next = times.nextRuns(3, new Date(start)).map((time) => time.toISOString().slice(0, 16));
  times.stop();
  return next;
}

describe('The time zone of a cron entry', () => {
  it('is UTC, or the one that it names', async () => {
    const entry = { command, schedule: '0 3 * * *' };
    expect(await found(entry)).toEqual([entry]);
    const inBerlin = { ...entry, timezone: 'Europe/Berlin' };
    expect(await found(inBerlin)).toEqual([inBerlin]);
    const day = '2026-07-01T00:00:00Z';
    expect(after(day, '0 3 * * *')[0]).toBe('2026-07-01T03:00');
    expect(after(day, '0 3 * * *', 'Europe/Berlin')[0]).toBe('2026-07-01T01:00');
    expect(after(day, '@daily', 'America/New_York')[0]).toBe('2026-07-01T04:00');
  });

  it('has summer time: nothing is left out, and a time of the day comes once', () => {
    const spring = after('2026-03-28T12:00:00Z', '30 2 * * *', 'Europe/Berlin');
    expect(spring).toEqual(['2026-03-29T01:00', '2026-03-30T00:30', '2026-03-31T00:30']);
    const autumn = after('2026-10-24T12:00:00Z', '30 2 * * *', 'Europe/Berlin');
    expect(autumn).toEqual(['2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30']);
    const hourly = after('2026-10-25T00:00:00Z', '30 * * * *', 'Europe/Berlin');
    expect(hourly).toEqual(['2026-10-25T00:30', '2026-10-25T01:30', '2026-10-25T02:30']);
  });

  it.each(['Europe/Atlantis', '+02:00', '', 'x'.repeat(1000), 'UTC\n'])('%j is refused', async (timezone) => {
    const refused = found({ schedule: '0 3 * * *', timezone });
    await expect(refused).rejects.toThrow(
      /^app\.json: the time zone ".{0,200}" of the cron command "node clean\.js" is not known/s,
    );
  });
});

describe('The cron of app.json', () => {
  it.each(['@hourly', '*/5 * * * *', '0 3 * * mon-fri'])('has the schedule %s, and other fields', async (schedule) => {
    expect(await found({ schedule, concurrency_policy: 'forbid' })).toMatchObject([{ command, schedule }]);
  });

  const wrong = (schedule: string) => `app.json: the schedule "${schedule}" of the cron command "node clean.js"`;
  const fields =
    'it has five fields (minute, hour, day, month, weekday), or is @daily; in UTC, or in that of "timezone" beside it';

  it.each([
    ['often', `is not understood: ${fields}.`],
    ['* * * * * * *', `is not understood: ${fields}.`],
    ['2030-01-01T00:00', `is not understood: ${fields}.`],
    ['CRON_TZ=Europe/Berlin 0 3 * * *', `is not understood: ${fields}.`],
    ['61 * * * *', 'is not understood: Invalid value for minute: 61.'],
    ['0 0 30 2 *', 'never comes.'],
  ])('is refused with what is wrong: %s', async (schedule, what) => {
    await expect(found({ schedule })).rejects.toThrow(`${wrong(schedule)} ${what}`);
  });

  it.each([
    [[{}], '"cron" must be a list of {"command": "node clean.js", "schedule": "0 3 * * *"}.'],
    [Array(21).fill({ schedule: '@yearly' }), '"cron" has more than 20 entries.'],
    [[{ schedule: '@daily', zone: 'Europe/Berlin' }], '"zone" of the cron command "node clean.js" is not understood.'],
  ])('is refused with a sentence', async (entries, sentence) => {
    await expect(found(...entries)).rejects.toThrow(`app.json: ${sentence}`);
  });
});

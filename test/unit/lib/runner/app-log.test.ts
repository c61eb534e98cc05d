import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { appLog } from '../../../../lib/runner/logs/app-log.ts';
import { newFolder } from '../../../support/new-folder.ts';

it('the lines of a log are read from its file as they were, of whichever process', async () => {
  const path = join(newFolder('log'), 'app.log');
  const log = appLog(path, 10_000);
  log.note('1 serves');
  for (const name of ['worker.1', 'run.2', '@cron.1', 'with_line-and-dash.12'])
    log.of(name).note(`said by ${name}: yes`);
  log.note('');
  await log.flush();
  const lines = await log.tail(100);
  expect(lines).toHaveLength(6);
  expect(await appLog(path, 10_000).tail(100)).toEqual(lines);
});

it('lines from before a restart are read also when there are new ones, each once and in order', async () => {
  const path = join(newFolder('log'), 'app.log');
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `line ${from + at}`);
  const before = appLog(path, 1_000_000);
  for (const line of numbers(0, 600)) before.note(line);
  await before.flush();
  const log = appLog(path, 1_000_000);
  for (const line of numbers(600, 900)) log.note(line);
  await log.flush();
  for (const line of numbers(900, 1_100)) log.note(line);
  const reading = log.tail(2_000);
  for (const line of numbers(1_100, 1_200)) log.note(line);
  expect((await reading).map(({ line }) => line)).toEqual(numbers(200, 1_200));

  for (const line of numbers(1_200, 1_300)) log.note(line);
  expect((await log.tail(2_000)).map(({ line }) => line)).toEqual(numbers(300, 1_300));
});

it('lines of a file that was rotated before a restart are read too', async () => {
  const path = join(newFolder('log'), 'app.log');
  const before = appLog(path, 300);
  const lines = Array.from({ length: 8 }, (_, at) => `line ${at}`);
  for (const line of lines) before.note(line);
  await before.flush();
  const log = appLog(path, 300);
  expect((await log.tail(2_000)).map(({ line }) => line)).toEqual(lines);
});

it('what a process has printed before a restart is no reason of a crash after it', async () => {
  const path = join(newFolder('log'), 'app.log');
  await writeFile(path, '2026-01-01T00:00:00.000Z stderr Error: before\n');
  const log = appLog(path, 10_000);
  expect(await log.tail(1)).toHaveLength(1);
  expect(log.printed(40, undefined)).toEqual([]);
});

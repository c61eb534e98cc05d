import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { pageLinks } from '../../functions/api/paging.ts';
import { settingOf } from '../../functions/core/apps/settings.ts';
import { readManifest } from '../../functions/core/entry/manifest.ts';
import { lineMasker, masked, maskedDetail, maskedTail } from '../../functions/core/entry/mask.ts';
import { reasonIn } from '../../functions/core/output/build-reason.ts';
import { busyPort, lastError, whyItEnded } from '../../functions/core/output/diagnosis.ts';
import { withoutValues } from '../../functions/core/output/without-values.ts';
import { skips } from '../../functions/core/payload/skip-words.ts';
import { oneLine } from '../../functions/core/text.ts';
import { leftOut } from '../../lib/builder/left-out.ts';
import { packageManagerOf } from '../../lib/builder/lockfiles.ts';
import { isVersionRange } from '../../lib/builder/manifest.ts';
import { readProject } from '../../lib/builder/project.ts';
import { procfileIn } from '../../lib/builder/start/start-command.ts';
import { wantedNode } from '../../lib/builder/tools/node-version.ts';
import { plainLine } from '../../lib/page/model/output.ts';
import { buildLog } from '../../lib/platform/build/build-log.ts';
import { temporaryFolder } from '../support/platform/harness.ts';

const SHORT = 16 * 1024;
const LONG = 64 * 1024;
/** Linear work takes four times as long for four times the text, quadratic work sixteen times. */
const MOST_TIMES_LONGER = 9;
/** Shorter times say nothing: the system counts them roughly. */
const NEGLIGIBLE_MS = 30;
const TRIES = 3;

const failed = { code: 1, signal: null };
const asStack = (line: string) => ['Error: boom', ...Array<string>(28).fill(`    at ${line}`)];
const asPlaces = (line: string) => [...Array<string>(6).fill(`/${line}`), 'Error: boom'];
const manifest = (fields: object) => JSON.stringify({ name: 'app', ...fields });
/** A value with thousands of lines that all begin like the text. */
const variables = {
  VALUE: Array.from({ length: 6_000 }, (_, at) => `aaaaa${at.toString(36).padStart(4, 'a')}`).join('\n'),
};

/** What reads text that somebody else chooses, with what it is given: a beginning, what is repeated, and an end. */
const readers: readonly (readonly [string, (text: string) => unknown, ...(readonly [string, string, string])[]])[] = [
  [
    'lastError',
    (text) => lastError(asStack(text), '/app'),
    ['', '/', ''],
    ['', 'a/', '!'],
    ['', ':1', '!'],
    ['', '(', ''],
  ],
  [
    'whyItEnded',
    (text) => whyItEnded(asPlaces(text), failed, '/app'),
    ['', '/', ''],
    ['', '//a', ' '],
    ['', 'file://', ''],
  ],
  [
    'busyPort',
    (text) => busyPort([text]),
    ['', 'EADDRINUSE', ''],
    ['', 'EADDRINUSE:1', 'x1'],
    ['EADDRINUSE', ':1', 'x1'],
  ],
  [
    'reasonIn',
    (text) => reasonIn([text]),
    ['', ':', 'x'],
    ['', ' ', 'x'],
    ['npm error ', ' ', 'x'],
    ['', '\u001b[', ''],
  ],
  [
    'masked',
    masked,
    ['', '-', ''],
    ['', '-a', ''],
    ['', '://a:', ''],
    ['', '-eyJ', ''],
    ['', '-eyJaaaaaaaa', '.'],
    ['', '-pwd', ' '],
  ],
  [
    'masked',
    masked,
    ['', 'password ', ''],
    ['password', ' ', ''],
    ['', 'token:"', ''],
    ['', 'Basic A', ''],
    ['', 'Bearer ', ''],
  ],
  [
    'lineMasker',
    lineMasker(),
    ['', '-', ''],
    ['', '-----BEGIN ', ''],
    ['-----BEGIN ', 'PRIVATE KEY', ''],
    ['\u001b[', '1;', ''],
  ],
  ['maskedDetail', maskedDetail, ['', '-a', ''], ['', '://a:', '']],
  ['maskedTail', (text) => maskedTail([text, text]), ['', '-a', ''], ['', '-----BEGIN ', '']],
  ['withoutValues', (text) => withoutValues([text], variables), ['', 'a', ''], ['', 'aaaaaz', '']],
  ['oneLine', (text) => oneLine(text, 200), ['', ' ', 'x'], ['', '\u202e', ''], ['x', ' ', 'x']],
  [
    'skips',
    skips,
    ['', '[skip', ''],
    ['', '\n\n', 'x'],
    ['\n\nskip-checks:', ' ', 'x'],
    ['', '\n\nskip-checks:true ', 'x'],
  ],
  ['isVersionRange', isVersionRange, ['', '>1 ', ''], ['', '1||', ''], ['', '1 - 1 ', ''], ['', '^1 ', '']],
  [
    'readManifest',
    (text) => readManifest(manifest({ version: text, engines: { node: text } })),
    ['', '>1 ', ''],
    ['', '-', 'x'],
  ],
  [
    'packageManagerOf',
    (text) => packageManagerOf('/none', { packageManager: `npm@${text}` }).catch(() => null),
    ['', '>1 ', ''],
  ],
  ['pageLinks', (path) => pageLinks({ base: '', path, query: {} }, { skip: 1, limit: 1, next: 2 }, 3), ['', '/', 'x']],
  ['plainLine of the page', plainLine, ['', '\u001b[', ''], ['\u001b]', 'a', ''], ['\u001b[', '1;', '\u0000']],
  ['a setting', (text) => settingOf('health').kind.read(text), ['/', ' ', 'x'], ['', ' ', ''], ['/', ',', '']],
  ['.nvmrc', nodeVersion, ['', '\n', ''], ['', ' ', ''], ['', '#\n', '']],
  ['.gitmodules', submodules, ['', '\n', ''], ['', ' ', ''], ['path', ' ', ''], ['', 'path=', '']],
  ['the Procfile', procfile, ['a: x', ' ', 'x'], ['', 'a:', ''], ['', '\r', '\n']],
  ['the log of a build', captured, ['', '\r', 'x'], ['', 'x\r', '']],
];

async function procfile(text: string): Promise<unknown> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'Procfile'), text);
  return procfileIn(folder);
}

async function nodeVersion(text: string): Promise<unknown> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'package.json'), '{}');
  for (const file of ['.nvmrc', '.tool-versions']) await writeFile(join(folder, file), text);
  return wantedNode(await readProject(folder, ''));
}

async function submodules(text: string): Promise<unknown> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, '.gitmodules'), text);
  return leftOut(folder);
}

async function captured(text: string): Promise<void> {
  const stream = new PassThrough();
  const log = buildLog('/dev/null', (line) => line);
  log.capture(stream, 'stdout', () => {});
  stream.end(text);
  await new Promise((resolve) => stream.once('close', resolve));
  await log.end();
}

function repeated([beginning, what, end]: readonly [string, string, string], length: number): string {
  return beginning + what.repeat(Math.ceil(length / what.length)) + end;
}

/** Returns the least processor time of some tries, in milliseconds: other programs do not count. */
async function shortest(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) {
    const began = process.cpuUsage();
    await work();
    times.push(process.cpuUsage(began).user / 1000);
  }
  return Math.min(...times);
}

const cases = readers.flatMap(([name, read, ...texts]) =>
  texts.map((text) => ({ name, read, text, shown: JSON.stringify(text) })),
);

describe('text that somebody else chooses', () => {
  it.each(cases)('is read in linear time: $name, $shown', async ({ read, text }) => {
    const short = await shortest(() => read(repeated(text, SHORT)));
    const long = await shortest(() => read(repeated(text, LONG)));

    expect(long).toBeLessThan(Math.max(NEGLIGIBLE_MS, short * MOST_TIMES_LONGER));
  });
});

import { createReadStream, readFileSync } from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readBuildLines, readLines } from '../../../../lib/builder/process/lines.ts';

/** The lines that are read from chunks. */
async function linesOf(...chunks: readonly (string | Buffer)[]): Promise<string[]> {
  const stream = new PassThrough({ highWaterMark: 2 ** 20 });
  const lines: string[] = [];
  readLines(stream, (line) => lines.push(line));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await new Promise((resolve) => stream.once('close', resolve));
  return lines;
}

const cut = ' … (the rest of this line is left out: a line has at most 64 KiB)';
const longest = 64 * 1024;

describe('the lines of an output', () => {
  it('lines are joined across chunks, without their line ends', async () => {
    expect(await linesOf('on', 'e\ntw', 'o\r', '\n\nthree')).toEqual(['one', 'two', '', 'three']);
  });

  it('lines keep characters that are cut by the end of a chunk', async () => {
    const bytes = Buffer.from('käse €\n');
    expect(await linesOf(...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(['käse €']);
  });

  it('lines of 64 KiB are whole, and longer ones are cut and say so', async () => {
    const fits = 'a'.repeat(longest);
    expect(await linesOf(`${fits}\n`, `${fits}b\n`, 'next\n')).toEqual([fits, fits + cut, 'next']);
  });

  it('lines that are cut end with a whole character', async () => {
    const [line] = await linesOf(`${'a'.repeat(longest - 1)}€€\n`);
    expect(line).toBe('a'.repeat(longest - 1) + cut);
  });

  it('lines that never end are passed on once, as soon as they are too long', async () => {
    const chunk = 'x'.repeat(2 ** 20);
    expect(await linesOf(...Array.from({ length: 64 }, () => chunk))).toEqual([chunk.slice(0, longest) + cut]);
  });

  it('lines are not lost when the stream is destroyed', async () => {
    const stream = new PassThrough();
    const lines: string[] = [];
    readLines(stream, (line) => lines.push(line));
    stream.write('the last words');
    await new Promise((resolve) => setImmediate(resolve));
    stream.destroy(new Error('gone'));
    await new Promise((resolve) => stream.once('close', resolve));
    expect(lines).toEqual(['the last words']);
  });
});

describe('the lines of a build', () => {
  const recorded = new URL('../../../fixtures/builds/npm-out-of-sync.txt', import.meta.url);
  const read = async (stream: Readable) => {
    const lines: string[] = [];
    readBuildLines(stream, (line) => lines.push(line));
    await new Promise((resolve) => stream.once('close', resolve));
    return lines;
  };

  it("npm's refusal of a lockfile has no manual below it", async () => {
    const whole = readFileSync(recorded, 'utf8').trimEnd().split('\n');
    expect(await read(createReadStream(recorded))).toEqual(whole.slice(0, 8));
  });

  it.each([
    ['npm error A complete log of this run can be found in: /srv/cache/npm/_logs/2026-01-02-debug-0.log'],
    ['npm ERR! A complete log of this run can be found in:', 'npm ERR!     /root/.npm/_logs/2026-01-02-debug.log'],
  ])('the path of the log of npm is left out: %s', async (...ending) => {
    const stream = new PassThrough();
    stream.end(['npm error code E404', ...ending].join('\n'));
    expect(await read(stream)).toEqual(['npm error code E404']);
  });

  it('what a script prints of npm stays, and so does what comes after a manual', async () => {
    const stream = new PassThrough();
    const lines = [
      'npm error Usage:',
      'npm error code EUSAGE',
      'npm error Usage:',
      'npm error npm ci',
      '> build',
      'done',
    ];
    stream.end(lines.join('\n'));
    expect(await read(stream)).toEqual(['npm error Usage:', 'npm error code EUSAGE', '> build', 'done']);
  });

  it('a progress bar has written over its line', async () => {
    const stream = new PassThrough();
    stream.end('1 %\r50 %\r100 %\r\ndone');
    expect(await read(stream)).toEqual(['100 %', 'done']);
  });
});

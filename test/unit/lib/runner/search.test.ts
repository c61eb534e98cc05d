import { appendFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OutputSearch } from '../../../../functions/core/ports/applications.ts';
import { searchLog } from '../../../../lib/runner/logs/search.ts';
import { newFolder } from '../../../support/new-folder.ts';

const AT = Date.parse('2026-01-01T00:00:00Z');
const timeOf = (number: number) => new Date(AT + number * 1000).toISOString();
const line = (number: number, text: string, from = 'stdout') => `${timeOf(number)} ${from} ${text}\n`;
const lines = (from: number, to: number, text: (number: number) => string) =>
  Array.from({ length: to - from }, (_, index) => line(from + index, text(from + index))).join('');

/** A log with these files, the newest first. */
async function log(...files: readonly string[]) {
  const path = join(newFolder('search'), 'app.log');
  for (const [index, text] of files.entries()) await writeFile(index === 0 ? path : `${path}.${index}`, text);
  const search = (query: Partial<OutputSearch>) =>
    searchLog(path, { text: 'crash', lines: 100, ...query }, new AbortController().signal);
  const texts = async (query: Partial<OutputSearch>) => (await search(query))?.lines.map((found) => found.line);
  return { path, search, texts };
}

/** All that pages of so many lines find. */
async function paged(search: Awaited<ReturnType<typeof log>>['search'], query: Partial<OutputSearch>) {
  const found: string[] = [];
  for (let before: string | undefined; ; ) {
    const page = await search({ ...query, ...(before !== undefined && { before }) });
    found.push(...(page?.lines ?? []).map((one) => one.line));
    if (page?.next == null) return found;
    before = page.next;
  }
}

describe('a search in the stored output', () => {
  it('finds the newest lines first, in both files, and looks back to the first line', async () => {
    const { search } = await log(line(3, 'a CRASH') + line(4, 'up'), line(1, 'crash one') + line(2, 'ok'));
    expect(await search({})).toEqual({
      lines: [
        { at: timeOf(3), stream: 'stdout', line: 'a CRASH' },
        { at: timeOf(1), stream: 'stdout', line: 'crash one' },
      ],
      searched: { since: timeOf(1), until: timeOf(4) },
      next: null,
    });
  });

  it.each([
    ['a character of regular expressions', 'a.b(', ['has a.b( in it'], ['has axb in it']],
    ['letters of other scripts, whatever their case', 'ÄÖ Ж', ['äö ж'], ['ao ж']],
    ['colours within it', 'error: disk', ['\u001b[31merror\u001b[0m: disk'], ['error disk']],
    ['what stands in the file before each line', 'stdout', ['to stdout'], ['to stderr']],
  ])('finds %s as a plain text', async (_what, text, found, others) => {
    const { texts } = await log([...found, ...others].map((one, number) => line(number, one)).join(''));
    expect(await texts({ text })).toEqual(found);
  });

  it('finds lines of one process, or of all of a type', async () => {
    const text = line(1, 'crash 1') + line(2, 'crash 2', 'stderr/worker.2') + line(3, 'crash 3', 'platform/worker.1');
    const { texts } = await log(text);
    expect(await texts({ process: 'worker' })).toEqual(['crash 3', 'crash 2']);
    expect(await texts({ process: 'web' })).toEqual(['crash 1']);
  });

  it.each([1, 3, 1000])('finds each line once in pages of %i, through files of many slices', async (count) => {
    // Of several bytes a character, and some longer than a slice.
    const text = (number: number) =>
      number % 50 === 7 ? `crash ${number} ${'é'.repeat(number % 3 ? 40_000 : 3)}` : 'ä';
    const { search } = await log(lines(400, 700, text), lines(0, 400, text));
    const numbers = (await paged(search, { lines: count })).map((one) => Number(one.split(' ')[1]));
    expect(numbers).toEqual(Array.from({ length: 14 }, (_, index) => 657 - 50 * index));
  });

  it('ends after 16 MiB, and says how far that was; the next search goes on', async () => {
    const filler = line(9, 'x'.repeat(1000)).repeat(20_000);
    const { search } = await log(line(1, 'crash') + filler);
    const page = await search({});
    expect(page).toMatchObject({ lines: [], searched: { since: timeOf(9) } });
    expect(page?.next).not.toBeNull();
    expect(await paged(search, {})).toEqual(['crash']);
  });

  it('goes on where it was when the file has become the older one meanwhile, and ends when that is gone', async () => {
    const { path, search } = await log(line(1, 'crash 1') + line(2, 'crash 2'), line(0, 'crash 0'));
    const before = (await search({ lines: 1 }))?.next ?? '';
    await rename(path, `${path}.1`);
    await writeFile(path, line(3, 'crash 3'));
    expect((await search({ before }))?.lines.map((one) => one.line)).toEqual(['crash 1']);
    await rename(path, `${path}.1`);
    expect(await search({ before })).toMatchObject({ lines: [], next: null });
  });

  it('finds nothing where nothing was printed, and reads a last line without its end', async () => {
    const { path, search, texts } = await log();
    expect(await search({})).toEqual({ lines: [], searched: { since: null, until: null }, next: null });
    await appendFile(path, `${line(1, 'ok')}${line(2, 'crash').trimEnd()}`);
    expect(await texts({})).toEqual(['crash']);
  });

  it.each(['', 'x', '2026_1', `${timeOf(1)}_-1`])('knows %j as no place to go on', async (before) => {
    expect(await (await log(line(1, 'crash'))).search({ before })).toBeNull();
  });

  it('leaves the thread to others while many search', async () => {
    const { search } = await log(line(9, 'x'.repeat(1000)).repeat(8_000));
    const searches = Promise.all(Array.from({ length: 5 }, () => search({})));
    let turns = 0;
    let isOver = false;
    const take = () => {
      turns += 1;
      if (!isOver) setImmediate(take);
    };
    take();
    await searches;
    isOver = true;
    // 5 searches of 125 slices, with a turn of the event loop between two.
    expect(turns).toBeGreaterThan(600);
  });
});

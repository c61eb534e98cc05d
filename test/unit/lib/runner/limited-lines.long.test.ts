import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LineBudget, readLimitedLines } from '../../../../lib/runner/logs/limited-lines.ts';

/** An output that is read at times which the test says. */
function reading(others?: LineBudget) {
  const stream = new PassThrough({ highWaterMark: 2 ** 24 });
  const seen: (string | number)[] = [];
  let milliseconds = 0;
  const budget = others ?? new LineBudget(() => milliseconds);
  readLimitedLines(stream, { line: (text) => seen.push(text), leftOut: (lines) => seen.push(lines) }, budget);
  return {
    budget,
    seen,
    lines: () => seen.filter((one) => typeof one === 'string'),
    write: async (text: string, afterMs = 0) => {
      milliseconds += afterMs;
      stream.write(text);
      await expect.poll(() => stream.readableLength, { interval: 5 }).toBe(0);
    },
    end: async () => {
      const closed = new Promise((resolve) => stream.once('close', resolve));
      stream.end();
      await closed;
    },
  };
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `${from + at}\n`).join('');

describe('the lines of an application', () => {
  it('are read whole up to some thousand at once', async () => {
    const at = reading();
    await at.write(numbered(4_900));
    await at.end();
    expect(at.lines()).toHaveLength(4_900);
    expect(at.seen.at(-1)).toBe('4899');
  });

  it('that come without a pause are left out and counted, but for the last ones before the end', async () => {
    const at = reading();
    for (let part = 0; part < 10; part += 1) await at.write(numbered(10_000, part * 10_000));
    await at.write('Error: why it ended');
    await at.end();
    const count = at.seen.find((one) => typeof one === 'number');
    expect(at.lines().length + Number(count)).toBe(100_001);
    expect(at.lines().length).toBeLessThan(5_200);
    expect(at.seen.slice(-2)).toEqual(['99999', 'Error: why it ended']);
  });

  it('follow again, from a whole line on, when there was time', async () => {
    const at = reading();
    await at.write(numbered(20_000));
    await at.write('cut', 100);
    await at.write(' line\nwhole\n', 1_000);
    const [count] = at.seen.slice(-2);
    expect(at.lines().length + Number(count)).toBe(20_002);
    await at.end();
    expect(at.seen.at(-1)).toBe('whole');
  });

  it('that come last are read when nothing more comes, although the output does not end', async () => {
    const at = reading();
    await at.write(numbered(20_000));
    await at.write('serves\nand');
    await expect.poll(() => at.seen.at(-1)).toBe('serves');
    await at.write(' on\n', 500);
    expect(at.seen.at(-1)).toBe('and on');
    await at.end();
  });

  it('count by their length too', async () => {
    const at = reading();
    const long = `${'x'.repeat(50_000)}\n`;
    for (let part = 0; part < 300; part += 1) await at.write(long);
    await at.end();
    expect(at.lines().length).toBeLessThan(110);
  });

  it('that never end are one, and the next one is whole', async () => {
    const at = reading();
    for (let part = 0; part < 120; part += 1) await at.write('x'.repeat(60_000));
    await at.write('\nnext\n', 10_000);
    await at.end();
    expect(at.lines()).toHaveLength(2);
    expect(at.seen.at(-1)).toBe('next');
  });

  it('of many processes of one application count together, and one that prints little is heard', async () => {
    const now = 0;
    const budget = new LineBudget(() => now);
    const all = Array.from({ length: 20 }, () => reading(budget));
    for (const one of all) await one.write(numbered(2_000));
    const [quiet] = all;
    await quiet?.write('still here\n');
    await expect.poll(() => quiet?.seen.at(-1)).toBe('still here');
    for (const one of all) await one.end();
    const lines = all.flatMap((one) => one.lines());
    // At once, and the last hundred of each.
    expect(lines.length).toBeLessThan(5_000 + 20 * 101);
    const counted = all.flatMap(({ seen }) => seen.filter((one) => typeof one === 'number'));
    expect(lines.length + counted.reduce((sum, one) => sum + one, 0)).toBe(40_001);
    expect(budget.flooding).toBe(0);
  });
});

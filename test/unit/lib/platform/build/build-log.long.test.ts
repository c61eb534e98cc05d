import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withoutValues } from '../../../../../functions/core/output/without-values.ts';
import type { PrintedLine } from '../../../../../functions/core/ports/processes.ts';
import { buildLog } from '../../../../../lib/platform/build/build-log.ts';
import {
  appFiles,
  buildLogOf,
  ended,
  hello,
  platform,
  serverFile,
  sharedPlatform,
  tarball,
  temporaryFolder,
  upload,
} from '../../../../support/platform/harness.ts';

const shared = sharedPlatform();

describe('the log of a build', () => {
  it('streams while the build runs, and ends with it', async () => {
    const at = await shared();
    const go = join(await temporaryFolder(), 'go');
    const scripts = { build: `echo waiting; echo err >&2; while [ ! -e ${go} ]; do sleep 0.05; done; echo done` };
    await at.hosting.ensureApp(hello, {});
    await upload(at, 'hello', '1', await tarball(appFiles('hello', serverFile('hi'), { scripts })));
    const snapshot = { ...hello, snapshot: '1' };
    await at.hosting.activate(snapshot);

    const lines: PrintedLine[] = [];
    for await (const batch of (await at.builds.read(snapshot, true, new AbortController().signal)) ?? []) {
      lines.push(...batch);
      if (batch.some(({ line }) => line === 'waiting')) await writeFile(go, '');
    }

    expect(lines.at(-1)?.line).toBe('done');
    expect(lines).toContainEqual({ at: expect.stringMatching(/^\d{4}-.*Z$/), stream: 'stderr', line: 'err' });
    expect((await ended(at, 'hello', '1')).state).toBe('ready');
    expect(await buildLogOf(at, '1', true)).toEqual(lines);
  });

  it('leaves out and counts lines of a build that prints without a pause, on both outputs together', async () => {
    const log = buildLog(join(await temporaryFolder(), 'log'), (line) => line);
    const seen: string[] = [];
    const closed = (['stdout', 'stderr'] as const).map(async (name) => {
      const stream = new PassThrough();
      log.capture(stream, name, (line) => seen.push(line));
      stream.end(Array.from({ length: 8_000 }, (_, at) => `${name} ${at}\n`).join(''));
      await new Promise((resolve) => stream.once('close', resolve));
    });
    await Promise.all(closed);
    await log.end();
    expect(seen.length).toBeLessThan(8_000);
    expect(seen).toEqual(expect.arrayContaining(['stdout 7999', 'stderr 7999']));
    const lines: PrintedLine[] = [];
    for await (const some of log.read(false, new AbortController().signal)) lines.push(...some);
    const notes = lines.filter(({ stream }) => stream === 'platform').map(({ line }) => line);
    expect(notes.at(-1)).toMatch(/^\d+ lines were left out: it printed more than can be kept\.$/);
    const left = notes.reduce((sum, line) => sum + Number.parseInt(line, 10), 0);
    expect(seen.length + left).toBe(16_000);
  });

  it('is empty before the first build, and null for an unknown snapshot', async () => {
    const at = await platform();
    await at.hosting.ensureApp(hello, {});
    await upload(at, 'hello', '1', await tarball(appFiles('hello', '')));
    expect([await buildLogOf(at), await buildLogOf(at, '9')]).toEqual([[], null]);
  });

  it('keeps a bounded number of lines, and the last ones of all', async () => {
    const file = join(await temporaryFolder(), '1.log');
    const log = buildLog(file, (line) => line, { limits: { lines: 10, bytes: 100_000 } });
    const stream = new PassThrough();
    log.capture(stream, 'stdout', () => undefined);
    for (let line = 1; line <= 1_000; line += 1) stream.write(`line ${line}\n`);
    stream.end();
    await new Promise((resolve) => stream.once('close', resolve));
    await log.end();

    const written = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const lines = written.map((one): string => JSON.parse(one).line);
    expect(lines.slice(0, 2)).toEqual(['line 1', 'line 2']);
    expect(lines).toContain('990 lines are not kept; the last ones follow.');
    expect(lines.at(-1)).toBe('line 1000');
    expect(lines).toHaveLength(10 + 1 + 200);
  });

  // Writes to it fail as on a full disk: https://man7.org/linux/man-pages/man4/full.4.html
  it.skipIf(process.platform !== 'linux')('ends also when a full disk has ended its file before', async () => {
    const log = buildLog('/dev/full', String);
    log.note('one');
    await pause(100);
    log.note('two');
    await log.end();
    expect(log.tail()).toEqual(['one', 'two']);
  });

  it('keeps the last state of a progress bar, and the beginning of a long line', async () => {
    const log = buildLog(join(await temporaryFolder(), '1.log'), (line) => withoutValues([line], {})[0] ?? '');
    const stream = new PassThrough();
    log.capture(stream, 'stdout', () => undefined);
    stream.end(`10 %\r50 %\r100 %\r\n${'x'.repeat(5_000_000)}\n`);
    await new Promise((resolve) => stream.once('close', resolve));
    await log.end();
    expect(log.tail()).toEqual(['100 %', 'x'.repeat(2_000)]);
  });
});

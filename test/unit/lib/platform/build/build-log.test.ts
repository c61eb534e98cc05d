import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { withoutValues } from '../../../../../functions/core/output/without-values.ts';
import { buildLog } from '../../../../../lib/platform/build/build-log.ts';
import {
  appFiles,
  build,
  call,
  ended,
  platform,
  serverFile,
  sharedPlatform,
  tarball,
  temporaryFolder,
} from '../../../../support/platform/harness.ts';

const shared = sharedPlatform();

const path = '/apps/ada/hello/snapshots/1';

interface Line {
  readonly at: string;
  readonly stream: string;
  readonly line: string;
}

function parsed(text: string): Line[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

describe('the log of a build', () => {
  it('is kept with the snapshot: time, stream and line, also when the build succeeds', async () => {
    const at = await shared();
    const scripts = { build: 'echo out; echo err >&2' };
    await build(at, 'hello', '1', appFiles('hello', serverFile('hi'), { scripts }));

    const answer = await call(at, 'GET', `${path}/log`);

    expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = parsed(answer.text);
    expect(lines.map(({ stream, line }) => `${stream} ${line}`)).toEqual(
      expect.arrayContaining(['stdout out', 'stderr err']),
    );
    expect(lines.every(({ at }) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(at))).toBe(true);
  });

  it('streams while the build runs, and ends with it', async () => {
    const at = await shared();
    const go = join(await temporaryFolder(), 'go');
    const scripts = { build: `echo waiting; while [ ! -e ${go} ]; do sleep 0.05; done; echo done` };
    await call(at, 'PUT', '/apps/ada/hello', {});
    await call(at, 'POST', path, await tarball(appFiles('hello', serverFile('hi'), { scripts })));
    await call(at, 'POST', `${path}/activate`);

    const response = await fetch(`${at.url}${path}/log?follow`);
    let text = '';
    const { writeFile } = await import('node:fs/promises');
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (parsed(text).some(({ line }) => line === 'waiting')) await writeFile(go, '');
    }

    expect(parsed(text).at(-1)?.line).toBe('done');
    expect((await ended(at, path)).body.state).toBe('ready');
    expect((await call(at, 'GET', `${path}/log?follow`)).text).toBe(text);
  });

  it('is empty before the first build, and 404 for an unknown snapshot', async () => {
    const at = await platform();
    await call(at, 'PUT', '/apps/ada/hello', {});
    await call(at, 'POST', path, await tarball(appFiles('hello', '')));
    expect(await call(at, 'GET', `${path}/log`)).toMatchObject({ status: 200, text: '' });
    expect((await call(at, 'GET', '/apps/ada/hello/snapshots/9/log')).status).toBe(404);
  });

  it('ends with the reason when the build fails', async () => {
    const at = await shared();
    const scripts = { build: 'echo broken; exit 1' };
    const { body } = await build(at, 'hello', '1', appFiles('hello', '', { scripts }));
    const last = parsed((await call(at, 'GET', `${path}/log`)).text).at(-1);
    expect(last).toMatchObject({ stream: 'platform', line: body.reason });
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

    const lines = parsed(await readFile(file, 'utf8')).map(({ line }) => line);
    expect(lines.slice(0, 2)).toEqual(['line 1', 'line 2']);
    expect(lines).toContain('990 lines are not kept; the last ones follow.');
    expect(lines.at(-1)).toBe('line 1000');
    expect(lines).toHaveLength(10 + 1 + 200);
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

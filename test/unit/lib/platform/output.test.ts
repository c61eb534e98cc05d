import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  appFiles,
  build,
  call,
  deploy,
  platform,
  serverFile,
  sharedPlatform,
  until,
} from '../../../support/platform/harness.ts';
import { type SeparatePlatform, separatePlatform } from '../../../support/platform/separate-platform.ts';

const shared = sharedPlatform();

const MiB = 1024 * 1024;
/** README.md promises no more than this for an application that prints without end; about 130 MB were measured. */
const MOST_MEMORY_MB = 200;
/** With that, more than a platform may have that holds what is printed until its line ends. */
const FLOOD_MB = 160;
const LOG_LIMIT = 5 * MiB;

/** Statements that print `megabytes` of a text, as fast as the pipe takes them. */
const prints = (text: string, megabytes: number) => `
  const text = Buffer.from(${JSON.stringify(text)}.repeat(Math.ceil(2 ** 20 / ${text.length})));
  for (let i = 0; i < ${megabytes}; i++) for (let at = 0; at < text.length; ) {
    try { at += require('node:fs').writeSync(1, text, at); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
  }
`;
const line = `${'0123456789'.repeat(8).slice(0, 79)}\n`;
const logs = async (at: { url: string }, app = 'hello') => (await call(at, 'GET', `/apps/ada/${app}/logs`)).text;

async function expectBounded(at: SeparatePlatform, app: string): Promise<void> {
  expect(at.isRunning()).toBe(true);
  expect(await at.peakMemory()).toBeLessThan(MOST_MEMORY_MB);
  for (const name of ['app.log', 'app.log.1']) {
    const size = await stat(join(at.dataDir, 'apps', 'ada', app, name)).then(
      (file) => file.size,
      () => 0,
    );
    expect(size, name).toBeLessThanOrEqual(LOG_LIMIT);
  }
}

describe('an application that prints without end', () => {
  let at: SeparatePlatform;
  beforeAll(async () => {
    at = await separatePlatform();
  });
  afterAll(() => at?.close());

  it('an application may print a flood without a line end after it listens', async () => {
    const floods = `${serverFile('up')} setTimeout(() => { ${prints('x', FLOOD_MB)} console.log('\\nafter the flood'); }, 50);`;

    const { body } = await deploy(at, 'after', '1', appFiles('after', floods));
    await until('it is read to its end', async () => (await logs(at, 'after')).includes('after the flood'), 200_000);

    expect(await (await fetch(body.url)).text()).toBe('up');
    expect(await logs(at, 'after')).toContain('(the rest of this line is left out: a line has at most 64 KiB)');
    await expectBounded(at, 'after');
  });

  it('an application may print a flood without a line end before it listens', async () => {
    const started = await deploy(at, 'before', '1', appFiles('before', `${prints('x', FLOOD_MB)} ${serverFile('up')}`));

    expect(started).toMatchObject({ status: 200, body: { state: 'running' } });
    await expectBounded(at, 'before');
  });

  it('an application may print ordinary lines faster than they are written', async () => {
    const floods = `${serverFile('up')} setTimeout(() => { ${prints(line, 20)} console.log('after the flood'); }, 50);`;

    const { body } = await deploy(at, 'lines', '1', appFiles('lines', floods));
    await until('it is read to its end', async () => (await logs(at, 'lines')).includes('after the flood'), 200_000);

    expect(await (await fetch(body.url)).text()).toBe('up');
    await expectBounded(at, 'lines');
  });

  it('an install script may print a flood without a line end', async () => {
    const built = await build(at, 'installs', '1', {
      ...appFiles('installs', serverFile('up'), { scripts: { postinstall: 'node flood.js' } }),
      'flood.js': prints('x', FLOOD_MB),
      '.npmrc': 'foreground-scripts=true\n',
    });

    expect(built.body).toMatchObject({ state: 'ready' });
    await expectBounded(at, 'installs');
  });

  it('the log file never exceeds its limit, not within one batch of lines either', async () => {
    const at = await platform({ limits: { logBytes: 10_000 } });
    const many = `${serverFile('up')} for (let i = 0; i < 2000; i++) console.log('line ' + i);`;

    await deploy(at, 'hello', '1', appFiles('hello', many));
    await until('all is read', async () => (await logs(at)).includes('line 1999'));
    await call(at, 'POST', '/apps/ada/hello/stop');

    const folder = join(at.dataDir, 'apps', 'ada', 'hello');
    const sizes = await Promise.all(
      ['app.log', 'app.log.1'].map(async (name) => (await stat(join(folder, name))).size),
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10_000);
  });
});

describe('the output as NDJSON', () => {
  const speaks = `${serverFile('up')} console.log('to stdout'); console.error('to stderr');`;
  const ndjson = { accept: 'application/x-ndjson' };
  const bothIn = (text: string) => text.includes('to stdout') && text.includes('to stderr');

  it('each line is an object with its time and its stream', async () => {
    const at = await shared();
    await deploy(at, 'hello', '1', appFiles('hello', speaks));
    await until('both lines are read', async () => bothIn(await logs(at)));

    const answer = await call(at, 'GET', '/apps/ada/hello/logs?lines=100', undefined, ndjson);

    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = answer.text.trimEnd().split('\n');
    const at1 = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(lines.map((text) => JSON.parse(text))).toEqual(
      expect.arrayContaining([
        { at: at1, stream: 'stdout', line: 'to stdout' },
        { at: at1, stream: 'stderr', line: 'to stderr' },
        { at: at1, stream: 'platform', line: '1 serves' },
      ]),
    );
  });

  it('the same lines are there after a restart of the platform, and plain text names the platform', async () => {
    const first = await platform();
    await deploy(first, 'hello', '1', appFiles('hello', speaks));
    await until('both lines are read', async () => bothIn(await logs(first)));
    await call(first, 'POST', '/apps/ada/hello/stop');
    const before = await call(first, 'GET', '/apps/ada/hello/logs', undefined, ndjson);
    await first.close();

    const again = await platform({ dataDir: first.dataDir });

    expect((await call(again, 'GET', '/apps/ada/hello/logs', undefined, ndjson)).text).toBe(before.text);
    expect(await logs(again)).toMatch(/^\S+Z platform: stopped$/m);
    expect((await call(again, 'GET', '/apps/ada/hello/logs?lines=0', undefined, ndjson)).text).toBe('');
  });

  it('following ends when the application is removed', async () => {
    const at = await shared();
    await deploy(at, 'hello', '1', appFiles('hello', speaks));
    const following = await fetch(`${at.url}/apps/ada/hello/logs?follow`);

    expect((await call(at, 'DELETE', '/apps/ada/hello')).status).toBe(204);

    // It would go on for ever.
    expect(await following.text()).toContain('serves');
  });
});

import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { portOf } from '../../../../lib/http/ports.ts';
import type { ReleaseSpec } from '../../../../lib/runner/calls.ts';
import { openRunner } from '../../../../lib/runner/open.ts';
import { releaseIn, specIn, startAt, stateAt } from '../../../support/platform/app-spec.ts';
import { afterwards, temporaryFolder } from '../../../support/platform/harness.ts';

/** Answers with this text and its process id, after `before` has run. */
const says = (text: string, before = '') => `${before}
require('node:http').createServer((_, s) => s.end('${text} ' + process.pid + ' ' + process.env.WORD))
  .listen(process.env.PORT, process.env.HOST);`;
/** Runs once at a time, and takes a moment to end. */
const LOCK = `
const { openSync, rmSync } = require('node:fs');
const lock = process.env.DATA_DIR + '/lock';
try { openSync(lock, 'wx') } catch { console.error('the lock is already held'); process.exit(1) }
process.on('SIGTERM', () => setTimeout(() => { rmSync(lock); process.exit() }, 200));`;

async function opened() {
  const folder = await temporaryFolder();
  const limits = { crashPauseMs: 10, keepMs: 300, readinessMs: 3_000, serverErrorMs: 300 };
  const running = await openRunner({ folder, limits, own: process.env });
  afterwards(running.close);
  const spec = specIn(folder);
  const start = async (snapshot: string, server: string, how: Partial<ReleaseSpec> = {}, variables = {}) =>
    startAt(running, { ...spec, variables }, { ...(await releaseIn(folder, snapshot, server)), ...how });
  return { running, spec, start };
}

const textAt = async (port: number) => (await fetch(`http://127.0.0.1:${port}`)).text();

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const port = portOf(server);
  await new Promise((done) => server.close(done));
  return port;
}

it('a lock of the release that runs fails the next start, whose reason names the setting', async () => {
  const { start } = await opened();
  const port = await start('1', says('one', LOCK));
  await expect(start('2', says('two', LOCK))).rejects.toMatchObject({
    message:
      'The process exited with code 1 before it answered; its last line was: the lock is already held. If the release that ' +
      'runs holds that: "hooks set overlap=false" ends it before the new one starts.',
  });
  expect(await textAt(port)).toMatch(/^one /);
});

it('a port of its own that the release that runs holds is named, with the setting; not one of another program', async () => {
  const { start } = await opened();
  const fixed = await freePort();
  const second = `require('node:http').createServer().listen(${fixed}, '127.0.0.1');`;
  await start('1', says('one', second));
  await expect(start('2', says('two', second))).rejects.toMatchObject({
    message: `The release that runs holds port ${fixed}: "hooks set overlap=false" ends it before the new one starts.`,
  });
  const other = createServer().listen(0, '127.0.0.1');
  afterwards(async () => other.close());
  await new Promise((done) => other.once('listening', done));
  const third = second.replace(String(fixed), String(portOf(other)));
  await expect(start('3', says('three', third))).rejects.toMatchObject({
    message: expect.stringMatching(/^The application wants port/),
  });
});

it('without overlap the old release ends before the new one starts, and requests wait', async () => {
  const { running, spec, start } = await opened();
  const alone = { overlap: false };
  const port = await start('1', says('one', LOCK), alone);
  const starting = start('2', says('two', LOCK), alone);
  const answers: string[] = [];
  const asking = (async () => {
    while (answers.at(-1)?.startsWith('two') !== true) answers.push(await textAt(port));
  })();

  expect(await starting).toBe(port);
  await asking;
  expect(new Set(answers.map((text) => text.slice(0, 3)))).toEqual(new Set(['one', 'two']));
  await running.apply(spec, { is: 'restart' });
  expect(await textAt(port)).toMatch(/^two /);
});

it('without overlap a release that fails has the old one started again, as it was, and the error says so', async () => {
  const { running, spec, start } = await opened();
  const alone = { overlap: false };
  const port = await start('1', says('one', LOCK), alone, { WORD: 'old' });
  const variables = { WORD: 'new' };

  await expect(start('2', 'throw new Error("broken")', alone, variables)).rejects.toMatchObject({
    message: 'Error: broken (server.js:1). What ran before was started again.',
  });

  expect(await stateAt(running)).toBe('running');
  expect(await textAt(port)).toMatch(/^one \d+ old$/);
  await running.apply({ ...spec, variables }, { is: 'restart' });
  expect(await textAt(port)).toMatch(/^one \d+ new$/);
});

it('without overlap, when the old one does not start again either, it is tried again as after a crash', async () => {
  const { start } = await opened();
  const once = `
const { existsSync, writeFileSync } = require('node:fs');
const [ran, broken] = ['/ran', '/broken'].map((name) => process.env.DATA_DIR + name);
if (existsSync(ran) && !existsSync(broken)) { writeFileSync(broken, ''); throw new Error('once') }
writeFileSync(ran, '');`;
  const alone = { overlap: false };
  const port = await start('1', says('one', once), alone);
  await expect(start('2', 'throw new Error("broken")', alone)).rejects.toMatchObject({
    message: expect.stringMatching(
      /^Error: broken \(server\.js:1\)\. What ran before does not start again: Error: once/,
    ),
  });
  expect(await textAt(port)).toMatch(/^one /);
});

it('a path of its own is what an application is asked for, and its last answer is in the reason', async () => {
  const { start } = await opened();
  const health = { path: '/healthz', seconds: 2 };
  const answers = (status: string, text: string) =>
    `const began = Date.now(); require('node:http').createServer((q, s) => {
      s.statusCode = q.url === '/healthz' ? ${status} : 200;
      if (s.statusCode) s.end('${text}');
    }).listen(process.env.PORT, process.env.HOST);`;

  await expect(start('1', answers('404', 'no database\\nmore'), { health })).rejects.toMatchObject({
    message: 'The application answered 404 to GET /healthz within 2 s; its last answer was: no database.',
  });
  await expect(
    start('2', answers('Date.now() - began < 500 ? 503 : 0', 'warming up'), { health }),
  ).rejects.toMatchObject({
    message: 'The application answered 503 to GET /healthz within 2 s; its last answer was: warming up.',
  });
  const port = await start('3', answers('Date.now() - began < 1000 ? 500 : 204', 'up'), { health });
  expect(await textAt(port)).toBe('up');
});

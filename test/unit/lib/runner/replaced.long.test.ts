import { scryptSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { AppSpec, ReleaseSpec, RunnerCalls } from '../../../../lib/runner/calls.ts';
import { helloOf, runnerClient } from '../../../../lib/runner/program/client.ts';
import { spawnRunner } from '../../../../lib/runner/program/spawn.ts';
import { bundledRunner, startRunner } from '../../../../lib/runner/program/start.ts';
import { hello, releaseIn, specIn, startAt, stateAt } from '../../../support/platform/app-spec.ts';
import { afterwards, isAlive, temporaryFolder, until } from '../../../support/platform/harness.ts';
import { asking } from '../../../support/service/asking.ts';

/** Says its process, is slow when it is asked to, and logs with each line one more. */
const SERVER = `let count = 0;
setInterval(() => console.log(process.pid, ++count), 10);
require('node:http').createServer((q, s) => setTimeout(() => s.end(String(process.pid)), q.url === '/slow' ? 1000 : 0))
  .listen(process.env.PORT, process.env.HOST);`;
const JOB = "setTimeout(() => console.log('job done'), 2500);";
/** Runs once at a time, and takes a moment to end. */
const ALONE = `const { openSync, rmSync } = require('node:fs');
const lock = process.env.DATA_DIR + '/lock';
try { openSync(lock, 'wx') } catch { console.error('the lock is already held'); process.exit(1) }
process.on('SIGTERM', () => setTimeout(() => { rmSync(lock); process.exit() }, 500));
${SERVER}`;

/** Starts a runner of another version, with an application. */
async function olderRunner(server: string, how: Partial<ReleaseSpec>, more: Partial<AppSpec> = {}) {
  const folder = await temporaryFolder();
  const files = { ports: join(folder, 'ports.json'), reserve: join(folder, 'reserve') };
  const options = { version: 'older', ...files, limits: {}, lingerSeconds: 60 };
  const before = spawnRunner(
    { node: process.execPath, program: await bundledRunner(), options },
    { folder, own: process.env },
  );
  const older = runnerClient(join(folder, 'runner.sock'));
  const answer = () => helloOf(join(folder, 'runner.sock'));
  await until('it answers', async () => (await answer()) !== undefined);
  const port = (await answer())?.port ?? 0;
  const release = { ...(await releaseIn(folder, '1', server)), ...how };
  const spec: AppSpec = { ...specIn(folder), release, ...more };
  const own = await begin(older, spec);
  return { ...{ folder, files, port, own, pid: before.pid ?? 0 }, spec: { ...spec, port: own } };
}

async function newerRunner(folder: string, files: { readonly ports: string; readonly reserve: string }, spec: AppSpec) {
  const runner = await startRunner({ folder, ...files, own: { ...process.env, RUNNER_LINGER: '60' }, warn: () => {} });
  afterwards(runner.close);
  await runner.apply(spec);
  await runner.begin();
  return runner;
}

async function begin(calls: RunnerCalls, spec: AppSpec): Promise<number> {
  await calls.apply(spec);
  await calls.begin();
  return spec.release ? startAt(calls, spec, spec.release) : 0;
}

async function byName(port: number, path = '/', more = {}): Promise<string> {
  const headers = { host: 'hello.ada.localhost', ...more };
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers, agent: false }, (answer) => resolve(text(answer))).once(
      'error',
      reject,
    );
  });
}

it('a runner of another version is replaced without a request that fails; log and cron go on', async () => {
  const job = { command: `node -e "${JOB}"`, schedule: '* * * * * *' };
  const { folder, files, port, own, pid, spec } = await olderRunner(SERVER, { cron: [job] });
  const log = () => readFileSync(spec.log, 'utf8');
  await expect.poll(log).toContain('@cron.1 runs');
  const first = await byName(port);
  const asked = [
    asking(`http://127.0.0.1:${own}`),
    asking(`http://127.0.0.1:${port}`, { headers: { host: 'hello.ada.localhost' } }),
  ];
  const slow = byName(port, '/slow');

  const runner = await newerRunner(folder, files, spec);
  expect(await byName(port)).toBe(first);
  await runner.apply(spec, { is: 'resume' });

  expect(await slow).toBe(first);
  await expect.poll(() => byName(port)).not.toBe(first);
  await until('the one before has ended', async () => !(await isAlive(pid)));
  await pause(200);
  for (const one of asked) {
    const { failed, count } = await one.end();
    expect(failed).toEqual([]);
    expect(count).toBeGreaterThan(20);
  }
  expect(runner.door.port()).toBe(port);
  expect(await isAlive(Number(first))).toBe(false);
  for (const process of [first, await byName(port)]) {
    const counts = [...log().matchAll(new RegExp(` stdout ${process} (\\d+)$`, 'gm'))].map(([, count]) =>
      Number(count),
    );
    expect(counts.length).toBeGreaterThan(10);
    expect(counts).toEqual(counts.map((_, at) => at + 1));
  }
  expect(log()).not.toMatch(/@cron\.1 .*SIG/);
  expect(log()).toMatch(/@cron\.1 exited with code 0 after [2-9]\.\d s/);
});

it('a password is asked for once on the way through both runners, and neither shows it to the application', async () => {
  // As a runner hashes it, which is not in this thread.
  const hash = scryptSync('right', 'salt', 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 });
  const password = { salt: 'salt', hash: hash.toString('base64url') };
  const shows = `require('node:http').createServer((q, s) => s.end('it ' + (q.headers.authorization ?? 'sees none')))
    .listen(process.env.PORT, process.env.HOST);`;
  const { folder, files, port, own, pid, spec } = await olderRunner(shows, {}, { password });
  const login = { authorization: `Basic ${Buffer.from('anybody:right').toString('base64')}` };
  const answers = async () => [
    await (await fetch(`http://127.0.0.1:${own}`, { headers: login })).text(),
    (await fetch(`http://127.0.0.1:${own}`)).status,
    await byName(port, '/', login),
    await byName(port),
  ];
  const right = ['it sees none', 401, 'it sees none', '{"error":"hello asks for a password."}\n'];
  expect(await answers()).toEqual(right);
  const asked = asking(`http://127.0.0.1:${port}`, { headers: { host: 'hello.ada.localhost', ...login } });
  const runner = await newerRunner(folder, files, spec);
  expect(await answers()).toEqual(right);
  await runner.apply(spec, { is: 'resume' });
  expect(await answers()).toEqual(right);
  await until('the one before has ended', async () => !(await isAlive(pid)));
  expect((await asked.end()).failed).toEqual([]);
  expect(await answers()).toEqual(right);
});

it('an application that must not overlap ends in the one before first, and requests wait', async () => {
  const { folder, files, port, pid, spec } = await olderRunner(ALONE, { overlap: false });
  const first = await byName(port);
  const asked = asking(`http://127.0.0.1:${port}`, { headers: { host: 'hello.ada.localhost' } });

  const runner = await newerRunner(folder, files, spec);
  await runner.apply(spec, { is: 'resume' });

  expect(await byName(port)).not.toBe(first);
  expect((await asked.end()).failed).toEqual([]);
  expect(await stateAt(runner)).toBe('running');
  await until('the one before has ended', async () => !(await isAlive(pid)));
  expect(readFileSync(spec.log, 'utf8')).not.toContain('the lock is already held');
});

it('one that ended in the one before for a release that fails is started again', async () => {
  const { folder, files, port, spec } = await olderRunner(ALONE, { overlap: false });
  const first = await byName(port);
  const runner = await newerRunner(folder, files, spec);
  const failing = { ...(await releaseIn(folder, '2', 'process.exit(1)')), overlap: false };

  await expect(startAt(runner, spec, failing)).rejects.toMatchObject({
    message: expect.stringContaining('What ran before was started again.'),
  });

  expect(await byName(port)).toMatch(/^\d+$/);
  expect(await isAlive(Number(first))).toBe(false);
  expect(await stateAt(runner)).toBe('running');
});

it('an application that is stopped while the one before has it has no process left, of cron neither', async () => {
  const job = { command: 'node -e "setTimeout(() => {}, 60_000)"', schedule: '* * * * * *' };
  const { folder, files, port, pid, spec } = await olderRunner(ALONE, { cron: [job] });
  const first = await byName(port);
  await expect.poll(() => readFileSync(spec.log, 'utf8')).toContain('@cron.1 runs');
  const runner = await newerRunner(folder, files, spec);

  await runner.stop(hello);

  expect(await isAlive(Number(first))).toBe(false);
  await until('the one before has ended', async () => !(await isAlive(pid)));
});

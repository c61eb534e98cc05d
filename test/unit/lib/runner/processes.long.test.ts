import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Process } from '../../../../functions/core/ports/processes.ts';
import { changedScale } from '../../../../lib/runner/processes/scale.ts';
import {
  appFiles,
  build,
  deploy,
  eventsOf,
  hello,
  isAlive,
  logsOf,
  type PlatformUnderTest,
  platform,
  refusalOf,
  serverFile,
  sharedPlatform,
  until,
} from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

/** Writes its process id and its version into a file of `DATA_DIR` that has its name, and ends when `end` is there. */
const worker = (version: string) => `
  const { existsSync, writeFileSync } = require('node:fs');
  const { DATA_DIR, WORD = '' } = process.env;
  console.log('worker ${version} works ' + WORD);
  writeFileSync(DATA_DIR + '/worker-' + process.pid, '${version}');
  setInterval(() => existsSync(DATA_DIR + '/end') && process.exit(3), 20);`;

const files = (version: string, procfile = 'web: node server.js\nworker: node worker.js\n') => ({
  ...appFiles('hello', serverFile(version)),
  'worker.js': worker(version),
  Procfile: procfile,
});

const listed = async (at: PlatformUnderTest): Promise<readonly Process[]> =>
  (await at.processes.list(hello))?.processes as readonly Process[];
const states = async (at: PlatformUnderTest) => (await listed(at)).map(({ name, state }) => `${name} ${state}`);
const scale = (at: PlatformUnderTest, change: object) => at.processes.scale(hello, change as Record<string, number>);
const data = ({ dataDir }: { dataDir: string }) => join(dataDir, 'apps/ada/hello/data');
const logs = (at: PlatformUnderTest, process?: string) => logsOf(at, { lines: 1000, ...(process && { process }) });

/** The process ids of the workers that have been started, those that run. */
async function workers(at: { dataDir: string }): Promise<readonly number[]> {
  const names = await readdir(data(at)).catch(() => []);
  const pids = names.flatMap((name) => (name.startsWith('worker-') ? [Number(name.slice(7))] : []));
  const alive = await Promise.all(pids.map(isAlive));
  return pids.filter((_, at) => alive[at]);
}

describe('the processes of a Procfile', () => {
  it('a deploy ends those of the release before, and a restart gives all of them the variables of now', async () => {
    const at = await shared();
    await deploy(at, 'hello', '1', files('1'));
    await until('the first works', async () => (await workers(at)).length === 1);
    const [first = 0] = await workers(at);

    await deploy(at, 'hello', '2', files('2'));
    await until('the second works alone', async () => !(await isAlive(first)) && (await workers(at)).length === 1);
    await at.variables.set(hello, { WORD: 'hard' });
    await at.operations.restart(hello);

    await until('the third works', async () => (await logs(at)).includes('worker 2 works hard'));
    await until('alone', async () => (await workers(at)).length === 1);
  });

  it('a stopped application has no process, and shows which it would have', async () => {
    const at = await shared();
    await deploy(at, 'hello', '1', files('1'));
    await until('it works', async () => (await workers(at)).length === 1);

    await at.operations.stop(hello);

    expect(await workers(at)).toEqual([]);
    expect(await states(at)).toEqual(['web.1 stopped', 'worker.1 stopped']);
  });
});

describe('a process that crashes', () => {
  it('is crashed once when it crashes in a loop, and back by itself or by a change of its number', async () => {
    const limits = { crashPauseMs: 10, crashPauseMaxMs: 40, crashLimit: 3, crashWindowMs: 1_500 };
    const at = await platform({ limits });
    const app = await deploy(at, 'hello', '1', files('1'));
    const isInLoop = () =>
      until('it is in a loop', async () => eventsOf(at).then((events) => events.at(-1)?.state === 'crashed'));
    await until('it works', async () => (await workers(at)).length === 1);
    await writeFile(join(data(at), 'end'), '');
    await isInLoop();

    const reason = 'The process worker.1 crashed too often and is tried again every minute: exited with code 3.';
    await expect.poll(() => eventsOf(at)).toMatchObject([{ seq: 1, state: 'crashed', reason }]);
    expect((await at.applications.find(hello))?.state).toBe('running');
    expect(await (await fetch(app.url)).text()).toBe('1');
    const restarts = async () => (await listed(at))[1]?.restarts ?? 0;
    const before = await restarts();
    await until('it is tried again', async () => (await restarts()) > before + 3);
    expect(await states(at)).toContain('worker.1 restarting');
    await rm(join(data(at), 'end'));
    await until('it has run for long enough', async () => (await states(at)).includes('worker.1 running'));
    await expect.poll(() => eventsOf(at)).toMatchObject([{ seq: 2, state: 'running' }]);

    await writeFile(join(data(at), 'end'), '');
    await isInLoop();
    await rm(join(data(at), 'end'));
    await scale(at, { worker: 1 });

    expect(await states(at)).toContain('worker.1 running');
    await expect.poll(async () => (await eventsOf(at)).at(-1)).toMatchObject({ state: 'running' });
  });
});

describe('scaling', () => {
  it('starts and ends processes, and is kept over deploys and restarts of the platform', async () => {
    const first = await platform();
    await deploy(first, 'hello', '1', files('1'));
    expect(await scale(first, { worker: 3 })).toMatchObject({ scale: { web: 1, worker: 3 } });
    await until('three work', async () => (await workers(first)).length === 3);

    await scale(first, { worker: 2 });
    expect((await workers(first)).length).toBe(2);
    await deploy(first, 'hello', '2', files('2'));
    await until('two work', async () => (await workers(first)).length === 2);
    await first.close();
    expect(await workers(first)).toEqual([]);
    const again = await platform({ dataDir: first.dataDir });

    await until('two work again', async () => (await workers(again)).length === 2);
    await scale(again, { worker: 0 });
    expect(await workers(again)).toEqual([]);
    expect((await again.processes.list(hello))?.scale).toEqual({ web: 1, worker: 0 });
  });

  it('to what no application can have is refused in one sentence', async () => {
    const at = await shared();
    await deploy(at, 'hello', '1', files('1'));
    for (const [change, sentence] of [
      [{ mailer: 1 }, 'hello has no process mailer; it has web, worker.'],
      [{ worker: -1 }, 'The number of worker processes is a whole number from 0.'],
      [{ worker: '2' }, 'The number of worker processes is a whole number from 0.'],
      [{ worker: 'auto' }, 'The number of worker processes is a whole number from 0.'],
      [{ worker: 21 }, 'An application has at most 20 processes besides its first web.'],
      [{ web: 22 }, 'An application has at most 20 processes besides its first web.'],
    ] as const) {
      expect(await refusalOf(scale(at, change))).toMatchObject({ status: 400, error: sentence });
    }
  });

  it('a Procfile that asks for too many fails the build before its release command', async () => {
    const at = await shared();
    const procfile = (lines: number) => [
      'release: echo begun >> "$DATA_DIR/released"',
      ...Array.from({ length: lines }, (_, at) => `w${at}: sleep 60`),
    ];
    const files = (lines: number) => ({
      ...appFiles('hello', serverFile('web')),
      Procfile: ['web: node server.js', ...procfile(lines)].join('\n'),
    });
    const built = await build(at, 'hello', '1', files(21));
    const reason = expect.stringMatching(/^The Procfile asks for 21 processes besides its first web, .* at most 20: /);
    expect(built).toMatchObject({ state: 'failed', reason });
    expect(existsSync(join(data(at), 'released'))).toBe(false);
    await deploy(at, 'hello', '2', files(20));
    await scale(at, { w0: 0 });
    await deploy(at, 'hello', '3', files(21));
    expect(await refusalOf(scale(at, { w0: 1 }))).toMatchObject({ status: 400 });
  });

  it('of an application that has too many may make fewer, and not more', () => {
    const sleep = { program: 'sleep', args: ['60'], text: 'sleep 60' };
    const others = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`w${at}`, sleep]));
    const to = (scale: object, change: object) =>
      changedScale('hello', { types: { web: sleep, others }, scale: { ...scale } }, { ...change });
    expect(to({}, { w0: 0 })).toEqual({ w0: 0 });
    expect(to({ w0: 0 }, { w1: 0, w2: 0 })).toEqual({ w0: 0, w1: 0, w2: 0 });
    expect(to({}, { web: 0 })).toEqual({ web: 0 });
    expect(to({ w0: 5 }, { w0: 2, w1: 3 })).toEqual({ w0: 2, w1: 3 });
    expect(() => to({}, { w0: 2 })).toThrow('at most 20');
    expect(() => to({ w0: 0 }, { w0: 1 })).toThrow('at most 20');
  });

  it('web may be 0', async () => {
    const at = await shared();
    const app = await deploy(at, 'hello', '1', files('1'));

    await scale(at, { web: 0 });
    expect(await (await fetch(app.url)).json()).toEqual({ error: 'hello has no web process.' });
    expect(await states(at)).toEqual(['worker.1 running']);

    await scale(at, { web: 1 });
    expect(await (await fetch(app.url)).text()).toBe('1');
  });
});

describe('an application without a web process', () => {
  const lone = (code: string) => ({
    'package.json': JSON.stringify({ name: 'hello', main: 'index.js', scripts: { start: 'node index.js' } }),
    'index.js': code,
    Procfile: 'worker: node index.js\n',
  });

  it('goes live, and its address says that it has none', async () => {
    const at = await shared();

    const app = await deploy(at, 'hello', '1', lone(worker('1')));

    expect(app.state).toBe('running');
    expect(await states(at)).toEqual(['worker.1 running']);
    expect(await (await fetch(app.url)).json()).toEqual({ error: 'hello has no web process.' });
  });

  it('does not go live when its process ends at once, and the one before goes on', async () => {
    // Long enough for any machine: it ends when the process does.
    const at = await platform({ limits: { settleMs: 30_000 } });
    await deploy(at, 'hello', '1', files('1'));
    await until('it works', async () => (await workers(at)).length === 1);
    const before = await workers(at);

    const failed = await refusalOf(deploy(at, 'hello', '2', lone("throw new Error('no queue')")));

    expect(failed).toMatchObject({
      status: 500,
      error: 'The process worker.1 did not stay up: Error: no queue (index.js:1)',
    });
    expect(await workers(at)).toEqual(before);
    expect(await at.applications.find(hello)).toMatchObject({ state: 'running', snapshot: '1' });
  });

  it('restarts when its process does', async () => {
    const at = await platform({ limits: { crashPauseMs: 10, settleMs: 100 } });
    await deploy(at, 'hello', '1', lone(worker('1')));
    await writeFile(join(data(at), 'end'), '');

    await until('it is in a loop', async () => (await at.applications.find(hello))?.state === 'restarting');
  });
});

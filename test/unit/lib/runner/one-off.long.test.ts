import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  appFiles,
  call,
  deploy,
  isAlive,
  platform,
  serverFile,
  sharedPlatform,
  until,
} from '../../../support/platform/harness.ts';
import { begin, live, read, runs } from '../../../support/platform/one-off.ts';

/** With an application that is live. */
const shared = sharedPlatform({}, live);

describe('a one-off command', () => {
  it('runs in the live release with its variables, and its exit code is told', async () => {
    const at = await shared();
    await call(at, 'PUT', '/apps/ada/hello/env', { WORD: 'seeded' });

    const { status, body } = await begin(at, 'node', 'seed.js', 'a "b" $c');

    expect(status).toBe(201);
    expect(await read(at, body.id)).toEqual({ out: 'seeded a "b" $c\n', err: '', exit: 0, reason: null });
    expect((await call(at, 'GET', `${runs}/${body.id}`)).status).toBe(404);
    const log = (await call(at, 'GET', '/apps/ada/hello/logs?process=run')).text;
    expect(log).toMatch(/ platform run\.1: node began\n.* platform run\.1: exited with code 0\n/);
  });

  it('may be a line for the shell, and fails with its own code', async () => {
    const at = await shared();
    const { body } = await begin(at, 'echo "$DATA_DIR" && echo no >&2; exit 7');
    const ended = await read(at, body.id);
    expect(ended).toMatchObject({ err: 'no\n', exit: 7 });
    expect(ended.out).toBe(`${join(at.dataDir, 'apps/ada/hello/data')}\n`);
  });

  it('ends for its reader with all it has printed when a process that has escaped holds its output', async () => {
    const at = await shared();
    const lines = 'i=0; while [ $i -lt 3000 ]; do echo 0123456789; i=$((i+1)); done';
    const escaped = 'env -i setsid sh -c "while true; do echo more; sleep 0.1; done" & echo $!';
    const { body } = await begin(at, `${lines}; ${escaped}; exit 3`);
    const { out, exit } = await read(at, body.id);
    const [pid] = /^\d+$/m.exec(out.replaceAll('0123456789\n', '')) ?? [];
    process.kill(-Number(pid), 'SIGKILL');
    expect([out.match(/0123456789\n/g)?.length, exit]).toEqual([3000, 3]);
    expect((await call(at, 'GET', `${runs}/${body.id}`)).status).toBe(404);
  });

  it('gets a signal with all that it has started', async () => {
    const at = await shared();
    const { body } = await begin(at, 'sleep 100 & echo $!; wait');
    let child = 0;
    const ended = await read(at, body.id, (out) => {
      if (child === 0 && out.endsWith('\n')) {
        child = Number(out);
        void call(at, 'POST', `${runs}/${body.id}`, { signal: 'SIGINT' });
        void call(at, 'POST', `${runs}/${body.id}`, { signal: 'SIGTERM' });
      }
    });
    expect(ended.exit).toBeGreaterThanOrEqual(128);
    await until('the child has ended', async () => !(await isAlive(child)));
  });

  it('keeps all it has printed for a slow reader, byte by byte', async () => {
    const at = await shared();
    const script = "for (let i = 0; i < 300000; i++) process.stdout.write('0123456789')";
    const { body } = await begin(at, 'node', '-e', script);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { out, exit } = await read(at, body.id);
    expect([out.length, exit]).toEqual([3_000_000, 0]);
  });

  it('is among the processes while it runs, and ends when nobody reads it any more', async () => {
    const at = await platform({ limits: { unreadMs: 3_000 } });
    await live(at);
    const { body } = await begin(at, 'node', '-e', 'console.log(process.pid); setInterval(() => {}, 1000)');
    let pid = 0;
    let processes: unknown;
    await read(at, body.id, async (out) => {
      if (!out.endsWith('\n')) return false;
      pid = Number(out);
      // Before the reading ends: from then on it may end too.
      processes = (await call(at, 'GET', '/apps/ada/hello/processes')).body.processes;
      return true;
    });
    expect(processes).toMatchObject([{ name: 'web.1' }, { name: 'run.1', type: 'run', state: 'running' }]);
    await until('it has ended', async () => !(await isAlive(pid)));
    await until('it is gone', async () => (await call(at, 'GET', `${runs}/${body.id}`)).status === 404);
  });

  it('ends with its application, and with the platform', async () => {
    const at = await platform();
    await live(at);
    const script =
      "require('fs').writeFileSync(process.env.DATA_DIR + '/pid', String(process.pid)); setInterval(() => {}, 1000)";
    const started = async () => {
      await begin(at, 'node', '-e', script);
      let pid = 0;
      const file = join(at.dataDir, 'apps/ada/hello/data/pid');
      await until('it runs', async () => {
        pid = Number(await readFile(file, 'utf8').catch(() => ''));
        return pid > 0;
      });
      return pid;
    };
    const first = await started();
    await call(at, 'DELETE', '/apps/ada/hello');
    expect(await isAlive(first)).toBe(false);
    await live(at);
    const second = await started();
    await at.close();
    expect(await isAlive(second)).toBe(false);
  });

  it('ends when its application is removed while it starts', async () => {
    const at = await platform();
    await live(at);
    const file = join(at.dataDir, 'pid');
    const script = `require('fs').writeFileSync('${file}', String(process.pid)); setInterval(() => {}, 1000)`;

    const [{ status }] = await Promise.all([begin(at, 'node', '-e', script), call(at, 'DELETE', '/apps/ada/hello')]);

    // It is refused, or began first and was ended.
    if (status === 201) await pause(2_000);
    const pid = Number(await readFile(file, 'utf8').catch(() => '0'));
    expect(pid > 0 && (await isAlive(pid))).toBe(false);
    await at.close();
  });

  it('runs in the newest release before the first start, which may need what it makes', async () => {
    const at = await platform();
    await call(at, 'PUT', '/apps/ada/hello', {});
    await call(at, 'PUT', '/apps/ada/hello/env', { WORD: 'made' });
    const needsTable = `require('fs').readFileSync(process.env.DATA_DIR + '/table');${serverFile('up')}`;
    const script = (number: number) => `require('fs').writeFileSync(process.env.DATA_DIR + '/table', '');
      console.log(process.env.WORD, ${number})`;
    const files = (number: number) => ({ ...appFiles('hello', needsTable), 'make.js': script(number) });
    for (const number of [1, 2]) {
      expect(await deploy(at, 'hello', `${number}`, files(number))).toMatchObject({ status: 500 });
      const { body } = await begin(at, 'node', 'make.js');
      expect(await read(at, body.id)).toMatchObject({ out: `made ${number}\n`, exit: 0 });
      if (number === 1) await rm(join(at.dataDir, 'apps/ada/hello/data/table'));
    }
    expect(await deploy(at, 'hello', '3', files(3))).toMatchObject({ status: 200 });
    const { body } = await begin(at, 'node', 'make.js');
    expect(await read(at, body.id)).toMatchObject({ out: 'made 3\n', exit: 0 });
    await at.close();
  });

  it('is refused before the first build, without such a program, and when five run', async () => {
    const at = await platform();
    await call(at, 'PUT', '/apps/ada/hello', {});
    expect(await begin(at, 'true')).toMatchObject({
      status: 409,
      body: { error: 'hello has no release yet: nothing of it has been built.' },
    });
    await live(at);
    expect(await begin(at, 'no-such-program')).toMatchObject({
      status: 400,
      body: { error: 'The program "no-such-program" was not found.' },
    });
    expect(await begin(at, 'echo', 'x'.repeat(200_000))).toMatchObject({
      status: 400,
      body: { error: '"echo" could not be run: its command line or one of its variables is too long for the system.' },
    });
    expect((await begin(at, 'sleep', '100')).status).toBe(201);
    const others = await Promise.all([1, 2, 3, 4, 5].map(() => begin(at, 'sleep', '100')));
    expect(others.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 429]);
  });
});

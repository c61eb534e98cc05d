import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listen } from '../../../../lib/http/ports.ts';
import { PROCESS_MARK } from '../../../../lib/process/marks.ts';
import {
  afterwards,
  appFiles,
  deploy,
  eventsOf,
  hello,
  isAlive,
  logsOf,
  type PlatformUnderTest,
  platform,
  sharedPlatform,
  start,
  temporaryFolder,
  until,
} from '../../../support/platform/harness.ts';
import { separatePlatform } from '../../../support/platform/separate-platform.ts';

const shared = sharedPlatform();

/**
 * Answers its process id, `/crash` ends it, `/child` starts a process of its own and answers that one's id, `/daemon`
 * one in another session and process group.
 */
const server = `
const { spawn } = require('node:child_process');
console.log('up');
require('node:http').createServer((request, response) => {
  if (request.url === '/crash') process.exit(7);
  if (request.url === '/child') return response.end(String(spawn('sleep', ['100']).pid));
  if (request.url === '/daemon') return response.end(String(spawn('sleep', ['100'], { detached: true, stdio: 'ignore' }).pid));
  if (request.url === '/say') console.log('said something');
  response.end(String(process.pid));
}).listen(process.env.PORT);
`;

const text = async (url: string) => (await fetch(url)).text();
const pidAt = async (url: string) => Number(await text(url));
/** Starts the application, and returns the processes that it consists of. */
async function family(at: Pick<PlatformUnderTest, 'hosting' | 'applications' | 'snapshots'>) {
  const files = appFiles('hello', server, { scripts: { start: 'true && node server.js' } });
  const { url } = await deploy(at, 'hello', '1', files);
  return { url, pids: [await pidAt(url), await pidAt(`${url}/child`)], daemon: await pidAt(`${url}/daemon`) };
}

const state = async (at: PlatformUnderTest) => (await at.applications.find(hello))?.state;

describe('a running application', () => {
  it('a stopped application ends with all its child processes, and its address says so', async () => {
    const at = await shared();
    const { url, pids, daemon } = await family(at);

    await at.operations.stop(hello);

    expect(await state(at)).toBe('stopped');
    expect(await Promise.all(pids.map(isAlive))).toEqual([false, false]);
    // It has left the group, and is found by the mark in its environment: on Linux only.
    expect(await isAlive(daemon)).toBe(process.platform !== 'linux');
    const answer = await fetch(url);
    expect([answer.status, await answer.json()]).toEqual([503, { error: 'hello is stopped.' }]);
  });

  it('an application that runs already is not started again', async () => {
    const at = await shared();
    const app = await deploy(at, 'hello', '1', appFiles('hello', server));
    const pid = await pidAt(app.url);

    expect(await start(at, 'hello', '1')).toMatchObject({ state: 'running', snapshot: '1', url: app.url });

    expect(await pidAt(app.url)).toBe(pid);
  });

  it('an application that ignores SIGTERM is killed', async () => {
    const at = await platform({ limits: { graceMs: 200 } });
    const app = await deploy(at, 'hello', '1', appFiles('hello', `process.on('SIGTERM', () => {}); ${server}`));
    const pid = await pidAt(app.url);

    await at.operations.stop(hello);

    expect(await isAlive(pid)).toBe(false);
  });

  /** Closes its port when it is asked to crash, and opens it again at a signal. */
  const closing = `${server.replace(/^require/m, 'const up = require').replace("'/crash') process.exit(7)", "'/crash') up.close()")}
    process.on('SIGUSR2', () => up.listen(process.env.PORT));
    setInterval(() => {}, 1000);`;
  /** One that has closed its port, and a request that was refused. */
  const closed = async (reopenMs: number) => {
    const at = await platform({ limits: { crashPauseMs: 20, reopenMs } });
    const { url } = await deploy(at, 'hello', '1', appFiles('hello', closing));
    const pid = await pidAt(url);
    await fetch(`${url}/crash`);
    // A request with a body has a connection of its own; on one that is kept the application still answers.
    const refused = async () => (await fetch(url, { method: 'POST', body: 'x' })).status === 502;
    await until('it is refused', refused);
    return { at, url, pid, logs: () => logsOf(at) };
  };

  it('an application that lives on without listening on its port is started again', async () => {
    const { url, pid, logs } = await closed(100);

    await until('it has been ended', async () => !(await isAlive(pid)));

    expect(await pidAt(url)).not.toBe(pid);
    expect(await logs()).toContain('1 did not listen on its port any more; next start in 20 ms');
  });

  it('an application that closes its port to open it again goes on', async () => {
    const { url, pid, logs } = await closed(600_000);

    process.kill(pid, 'SIGUSR2');

    await until('it answers', async () => (await fetch(url)).status === 200);
    expect([await pidAt(url), (await logs()).includes('any more')]).toEqual([pid, false]);
  });

  // Whose port it is, is read from /proc.
  it.skipIf(process.platform !== 'linux')(
    'a program that takes the port which an application has closed gets no request',
    async () => {
      const at = await platform({ limits: { crashPauseMs: 20, reopenMs: 100 } });
      const told = "require('node:fs').writeFileSync(process.env.DATA_DIR + '/port', process.env.PORT);";
      const { url } = await deploy(at, 'hello', '1', appFiles('hello', `${closing}\n${told}`));
      const pid = await pidAt(url);
      const port = Number(await readFile(join(at.dataDir, 'apps/ada/hello/data/port'), 'utf8'));
      const got: (string | undefined)[] = [];
      const thief = createServer((asked, answer) => {
        got.push(asked.url);
        answer.end('taken');
      });
      afterwards(async () => thief.close().closeAllConnections());
      await fetch(`${url}/crash`);
      await until('it has the port', () =>
        listen(thief, port).then(
          () => true,
          () => false,
        ),
      );
      const post = async () => (await fetch(url, { method: 'POST', body: 'x' })).status;
      const upgrade = request(url, { headers: { connection: 'upgrade', upgrade: 'websocket' }, agent: false }).end();
      // It may wait for the next process; the body of a POST cannot be sent again.
      const [posted] = await Promise.all([post(), once(upgrade, 'response')]);
      expect(posted).toBe(502);
      await until('it has been ended', async () => !(await isAlive(pid)));
      expect(await pidAt(url)).not.toBe(pid);
      expect(got).toEqual([]);
    },
  );

  it('an application that crashes in a loop is crashed once, and back by itself when the cause is gone', async () => {
    const types: string[] = [];
    const limits = { crashPauseMs: 20, crashPauseMaxMs: 40, crashLimit: 3, crashWindowMs: 2_000 };
    const at = await platform({
      limits,
      log: ({ type, detail }) => types.push(type === 'app.state' ? `${detail}` : type),
    });
    const cause = join(at.dataDir, 'apps/ada/hello/data/broken');
    const fails = `if (require('node:fs').existsSync(process.env.DATA_DIR + '/broken')) {
      console.log('it is', process.env.SECRET);
      process.exit(4);
    }`;
    await at.hosting.ensureApp(hello, {});
    await at.variables.set(hello, { SECRET: 'hunter2hunter2' });
    const app = await deploy(at, 'hello', '1', appFiles('hello', `${fails} ${server}`));
    const tries = async () => (await logsOf(at, { lines: 1000 })).split('next start in 40 ms');
    await writeFile(cause, '');
    await fetch(`${app.url}/crash`).catch(() => undefined);
    await until('it is in a loop', () => types.includes('app.crashed'));
    expect(await (await fetch(app.url)).json()).toEqual({ error: 'hello has crashed too often; see its log.' });
    const before = (await tries()).length;
    await until('it was tried five times more', async () => {
      expect(await state(at)).toBe('restarting');
      return (await tries()).length >= before + 5;
    });

    await rm(cause);

    await until('it is back', async () => (await fetch(app.url)).ok);
    expect(await state(at)).toBe('restarting');
    const reason = /^The application crashed too often and is tried again every minute: /;
    expect((await eventsOf(at))[0]).toMatchObject({ reason: expect.stringMatching(reason), snapshot: '1' });
    expect((await eventsOf(at))[0]?.log).toContain('it is ***');
    await until('it has run for long enough', () => types.includes('running'));
    expect(await state(at)).toBe('running');
    expect(types.filter((type) => ['app.crashed', 'crashed', 'running'].includes(type))).toEqual([
      'app.crashed',
      'crashed',
      'running',
    ]);
  });
});

describe('the end of the platform', () => {
  it('applications end with the platform and run again at the same address after its next start', async () => {
    const first = await platform();
    const app = await deploy(first, 'hello', '1', appFiles('hello', server));
    const pid = await pidAt(app.url);

    await first.close();
    expect(await isAlive(pid)).toBe(false);
    const again = await platform({ dataDir: first.dataDir });

    await until('it runs again', async () => (await state(again)) === 'running');
    expect(await pidAt(app.url)).not.toBe(pid);
    expect(await logsOf(again)).toContain('up');
  });

  it('a stopped application stays stopped after a restart of the platform', async () => {
    const first = await platform();
    await deploy(first, 'hello', '1', appFiles('hello', server));
    await first.operations.stop(hello);
    await first.close();

    const again = await platform({ dataDir: first.dataDir });

    expect(await state(again)).toBe('stopped');
  });

  it('an application gets another port when its own has been taken while the platform was down', async () => {
    const first = await platform();
    const app = await deploy(first, 'hello', '1', appFiles('hello', server));
    await first.close();
    const squatter = createServer((_request, response) => response.end('squatter'));
    await new Promise<void>((resolve) => squatter.listen(Number(new URL(app.url).port), '127.0.0.1', resolve));
    afterwards(() => new Promise((resolve) => squatter.close(resolve)));

    const again = await platform({ dataDir: first.dataDir });
    await until('it runs again', async () => (await state(again)) === 'running');

    const moved = await again.applications.find(hello);
    expect(moved?.url).not.toBe(app.url);
    expect(await pidAt(moved?.url ?? '')).toBeGreaterThan(0);
  });

  it('applications end when the platform is killed, and the next start resumes them', async () => {
    const dataDir = await temporaryFolder();
    const killed = await separatePlatform(dataDir);
    afterwards(() => killed.kill());
    const { pids, daemon } = await family(killed);

    await killed.kill();

    await until('the processes are gone', async () => !(await Promise.all(pids.map(isAlive))).includes(true));
    const again = await platform({ dataDir });
    await until('it runs again', async () => (await state(again)) === 'running');
    // What has left its group ends at the next start at the latest.
    expect(await isAlive(daemon)).toBe(process.platform !== 'linux');
  });

  it('a second platform cannot use the same folder at the same time', async () => {
    const dataDir = await temporaryFolder();
    const owner = spawn('sleep', ['60'], { stdio: 'ignore' });
    afterwards(async () => owner.kill());
    const { processStartTime } = await import('../../../../lib/process/process-info.ts');
    const { writeState } = await import('../../../../lib/files/state-file.ts');
    const pid = owner.pid ?? 0;
    await writeState(join(dataDir, 'groups.json'), {
      owner: { pid, started: await processStartTime(pid) },
      groups: [],
    });

    await expect(platform({ dataDir })).rejects.toThrow(/Another platform \(process \d+\)/);
  });

  it.runIf(process.platform === 'linux')(
    'what a crashed application has detached ends before its next start',
    async () => {
      const at = await platform({ limits: { crashPauseMs: 20 } });
      const app = await deploy(at, 'hello', '1', appFiles('hello', server));
      const daemon = await pidAt(`${app.url}/daemon`);
      await fetch(`${app.url}/crash`);
      await until('it ends', async () => !(await isAlive(daemon)));
    },
  );

  it.runIf(process.platform === 'linux')('what a build has detached ends with it', async () => {
    const at = await shared();
    const file = join(await temporaryFolder(), 'pid');
    const detaches = `
      const { spawn } = require('node:child_process');
      const { writeFileSync } = require('node:fs');
      const left = spawn('sleep', ['100'], { detached: true, stdio: 'ignore' });
      left.unref();
      writeFileSync(${JSON.stringify(file)}, String(left.pid));`;
    const scripts = { start: 'node server.js', build: 'node detaches.js' };
    await deploy(at, 'hello', '1', { ...appFiles('hello', server, { scripts }), 'detaches.js': detaches });
    expect(await isAlive(Number(await readFile(file, 'utf8')))).toBe(false);
  });

  it('the next start ends processes that are left when the runner was killed too', async () => {
    const dataDir = await temporaryFolder();
    const left = spawn('sleep', ['60'], { stdio: 'ignore', detached: true });
    const { processStartTime } = await import('../../../../lib/process/process-info.ts');
    const { writeState } = await import('../../../../lib/files/state-file.ts');
    const pgid = left.pid ?? 0;
    const marked = (mark: string) =>
      spawn('sleep', ['60'], {
        stdio: 'ignore',
        detached: true,
        env: { PATH: process.env.PATH, [PROCESS_MARK]: mark },
      });
    const innocent = marked('of-another');
    const detached = marked('of-a-leader-that-has-ended');
    afterwards(async () => void [innocent, detached].map((one) => one.kill()));
    const groups = [
      { pgid, started: await processStartTime(pgid), what: 'ada/hello' },
      { pgid: innocent.pid ?? 0, started: 'another time', what: 'ada/old' },
    ];
    await writeState(join(dataDir, 'groups.json'), {
      owner: { pid: 2 ** 22 + 1, started: 'gone', marks: 'of-a-leader' },
      groups,
    });

    await platform({ dataDir });

    expect([await isAlive(pgid), await isAlive(innocent.pid ?? 0)]).toEqual([false, true]);
    expect(await isAlive(detached.pid ?? 0)).toBe(process.platform !== 'linux');
  });
});

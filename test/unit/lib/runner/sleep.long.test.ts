import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Process, Scale } from '../../../../functions/core/ports/processes.ts';
import { IdleWatch } from '../../../../lib/runner/idle.ts';
import { startTurns } from '../../../../lib/runner/start/turns.ts';
import {
  appFiles,
  deploy,
  hello,
  isAlive,
  type PlatformUnderTest,
  platform,
  sharedPlatform,
  until,
} from '../../../support/platform/harness.ts';

describe('the use of an application', () => {
  const IDLE_MS = 600_000;
  const onIdle = vi.fn();
  let idle: IdleWatch;

  beforeEach(() => {
    vi.useFakeTimers();
    idle = new IdleWatch(IDLE_MS, onIdle);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.clearAllMocks();
  });

  it('has ended when there was none for the whole time', () => {
    idle.allow(true);
    vi.advanceTimersByTime(IDLE_MS - 1);
    expect(onIdle).not.toHaveBeenCalled();

    vi.advanceTimersByTime(1);

    expect(onIdle).toHaveBeenCalledOnce();
  });

  it('is what is open, and the time begins when all has ended', () => {
    idle.allow(true);
    const ends = [idle.use(), idle.use()];
    vi.advanceTimersByTime(10 * IDLE_MS);
    ends[0]?.();
    vi.advanceTimersByTime(10 * IDLE_MS);
    expect([idle.isUsed, onIdle.mock.calls.length]).toEqual([true, 0]);

    ends[1]?.();

    vi.advanceTimersByTime(IDLE_MS - 1);
    expect([idle.isUsed, onIdle.mock.calls.length]).toEqual([false, 0]);
    vi.advanceTimersByTime(1);
    expect(onIdle).toHaveBeenCalledOnce();
  });

  it('does not matter where it may not sleep', () => {
    idle.allow(true);
    idle.allow(false);
    idle.use()();
    vi.advanceTimersByTime(10 * IDLE_MS);

    expect([onIdle.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0]);
  });
});

describe('the turns in which applications wake', () => {
  /** Ends the work of an application. */
  const ends = new Map<string, () => void>();
  const begun: string[] = [];
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  };

  beforeEach(() => {
    vi.useFakeTimers();
    begun.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are so many at a time, in the order in which they were asked for', async () => {
    const turns = startTurns(2);
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => turns('ann', work(name)));
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toEqual(['a', 'b']);
    ends.get('b')?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toEqual(['a', 'b', 'c']);

    for (const name of ['a', 'c', 'd', 'e']) {
      ends.get(name)?.();
      await vi.advanceTimersByTimeAsync(0);
    }

    await Promise.all(all);
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('one that takes long lets the next begin, once', async () => {
    const turns = startTurns(1);
    for (const name of ['a', 'b', 'c']) void turns('ann', work(name));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(begun).toEqual(['a', 'b']);

    ends.get('a')?.();
    await vi.advanceTimersByTimeAsync(0);

    expect(begun).toEqual(['a', 'b']);
  });
});

/** Says its process id, its version, and how long the body was; `DATA_DIR` has a file for each start. */
const server = (version: string) => `
const { existsSync, writeFileSync } = require('node:fs');
const { DATA_DIR, PORT, WORD = '' } = process.env;
writeFileSync(DATA_DIR + '/web-' + process.pid, '');
const server = require('node:http').createServer((request, response) => {
  let bytes = 0;
  request.on('data', (chunk) => (bytes += chunk.length)).on('end', () => response.end([process.pid, '${version}' + WORD, bytes].join()));
});
server.on('upgrade', (request, socket) => {
  socket.on('error', () => {});
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n');
  socket.pipe(socket);
});
const listen = () => (existsSync(DATA_DIR + '/slow') ? setTimeout(listen, 10) : server.listen(PORT));
listen();
`;
const WORKER =
  "require('node:fs').writeFileSync(process.env.DATA_DIR + '/worker-' + process.pid, process.env.WORD ?? ''); setInterval(() => {}, 1000);";

const files = (version: string, code = server(version)) => ({
  ...appFiles('hello', code),
  'worker.js': WORKER,
  Procfile: 'web: node server.js\nworker: node worker.js\n',
});

type Shown = Pick<PlatformUnderTest, 'applications' | 'processes'>;
type Place = Pick<PlatformUnderTest, 'dataDir'>;

const scale = (at: PlatformUnderTest, web: Scale['web']) => at.processes.scale(hello, { web });
const urlOf = async (at: Shown) => (await at.applications.find(hello))?.url ?? '';
const processes = async (at: Shown) => (await at.processes.list(hello))?.processes as readonly Process[];
/** That of its web process. */
const state = async (at: Shown) => (await processes(at))[0]?.state;
const isAsleep = (at: Shown) => until('it is asleep', async () => (await state(at)) === 'asleep');
const file = ({ dataDir }: Place, name: string) => join(dataDir, 'apps/ada/hello/data', name);

/** The process ids of all that were started of a type. */
async function started(at: Place, type: 'web' | 'worker'): Promise<readonly number[]> {
  const names = await readdir(file(at, ''));
  return names.flatMap((name) => (name.startsWith(`${type}-`) ? [Number(name.slice(type.length + 1))] : []));
}

/** What the application says: its process, its version, the length of the body. */
async function ask(url: string, init: RequestInit = {}): Promise<readonly string[]> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  return answer.ok ? text.split(',') : [String(answer.status), text.trim()];
}

const LIMITS = { idleMs: 1 };

const shared = sharedPlatform({ limits: LIMITS });

/** An application that has been live, is `auto`, and sleeps after a millisecond. */
async function sleeping(
  begun: Promise<PlatformUnderTest> = shared(),
): Promise<{ readonly at: PlatformUnderTest; readonly url: string }> {
  const at = await begun;
  const app = await deploy(at, 'hello', '1', files('one'));
  await until('the worker runs', async () => (await started(at, 'worker')).length === 1);
  expect(await scale(at, 'auto')).toMatchObject({ scale: { web: 'auto', worker: 1 } });
  await isAsleep(at);
  return { at, url: app.url };
}

describe('an application whose web is auto', () => {
  it('has no web process while nobody asks, and the next request waits for its start', async () => {
    const { at, url } = await sleeping();
    const [first = 0] = await started(at, 'web');
    await until('its process has ended', async () => !(await isAlive(first)));
    expect(await processes(at)).toMatchObject([
      { name: 'web.1', state: 'asleep', memory: null, restarts: 0 },
      { name: 'worker.1', state: 'running' },
    ]);

    const [pid, version] = await ask(url);

    expect([Number(pid) === first, version]).toEqual([false, 'one']);
    await isAsleep(at);
    await until('its process has ended again', async () => !(await isAlive(Number(pid))));
    const [worker = 0, ...more] = await started(at, 'worker');
    expect([await isAlive(worker), more]).toEqual([true, []]);
  });

  it('may be so from its creation; one that exists stays as it is', async () => {
    const at = await shared();
    const put = () => at.hosting.ensureApp(hello, { name: 'hello' }, { maySleep: true });
    await put();
    const app = await deploy(at, 'hello', '1', files('one'));
    await isAsleep(at);
    expect((await ask(app.url))[1]).toBe('one');
    await scale(at, 1);
    await put();
    const now = await at.processes.list(hello);
    expect(now?.scale).toMatchObject({ web: 1 });
  });

  it('requests and WebSockets that come together have one start, by either address, and keep their bodies', async () => {
    const { at, url } = await sleeping();
    await writeFile(file(at, 'slow'), '');
    const body = new Uint8Array(300_000);
    const asked = [ask(url, { method: 'POST', body }), ask(url), byHost(at)];
    await until('it is being started', async () => (await started(at, 'web')).length === 2);
    expect(await state(at)).toBe('starting');
    asked.push(ask(url, { method: 'PUT', body }));
    const socket = openSocket(url);

    await rm(file(at, 'slow'));

    const answers = await Promise.all(asked);
    expect(new Set(answers.map(([pid]) => pid)).size).toBe(1);
    expect(answers.map(([, version, bytes]) => [version, bytes])).toEqual([
      ['one', '300000'],
      ['one', '0'],
      ['one', '0'],
      ['one', '300000'],
    ]);
    (await socket).destroy();
  });

  it('does not sleep while a connection is open', async () => {
    const { at, url } = await sleeping();
    const socket = await openSocket(url);
    for (let times = 0; times < 5; times += 1) expect(await state(at)).toBe('running');

    socket.destroy();

    await isAsleep(at);
  });

  it('has the variables of its next start, and starts no more when it is stopped', async () => {
    const { at, url } = await sleeping();
    await at.variables.set(hello, { WORD: ' more' });
    expect((await ask(url))[1]).toBe('one more');
    await isAsleep(at);

    await at.operations.stop(hello);

    expect(await ask(url)).toEqual(['503', '{"error":"hello is stopped."}']);
    expect(await started(at, 'web')).toHaveLength(2);
  });

  it('sleeps on over a restart of the platform, while its other processes run again', async () => {
    const { at: first } = await sleeping(platform({ limits: LIMITS }));
    await first.close();
    const again = await platform({ dataDir: first.dataDir, limits: LIMITS });

    await isAsleep(again);
    await until('its worker runs', async () => (await started(again, 'worker')).length === 2);
    expect(await started(again, 'web')).toHaveLength(1);
    expect((await ask(await urlOf(again)))[1]).toBe('one');
  });

  it('runs all the time again when it is scaled to 1', async () => {
    const { at, url } = await sleeping();

    expect(await scale(at, 1)).toMatchObject({ processes: [{ state: 'running' }, {}], scale: { web: 1 } });

    const [pid] = await ask(url);
    expect([(await ask(url))[0], await state(at)]).toEqual([pid, 'running']);
  });

  it('is asleep as a whole when nothing runs beside it', async () => {
    const { at } = await sleeping();
    expect((await at.applications.find(hello))?.state).toBe('running');

    await at.processes.scale(hello, { worker: 0 });

    expect((await at.applications.find(hello))?.state).toBe('asleep');
  });

  it('another process that is scaled from 0 while it is asleep has the variables of now, and it sleeps on', async () => {
    const { at } = await sleeping();
    const [first] = await started(at, 'worker');
    await at.processes.scale(hello, { worker: 0 });
    await at.variables.set(hello, { WORD: 'new' });

    await at.processes.scale(hello, { worker: 1 });

    const other = async () => (await started(at, 'worker')).find((pid) => pid !== first);
    const word = async () => readFile(file(at, `worker-${await other()}`), 'utf8').catch(() => '');
    await until('it has the new variable', async () => (await word()) === 'new');
    expect(await processes(at)).toMatchObject([{ state: 'asleep' }, { name: 'worker.1', state: 'running' }]);
    expect(await started(at, 'web')).toHaveLength(1);
  });
});

/** The same by the address of the platform and the name of the application. */
function byHost(at: PlatformUnderTest): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const asking = request(at.url, { headers: { host: 'hello.ada.localhost' } });
    asking.once('error', reject).once('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.once('end', () => resolve(text.split(',')));
    });
    asking.end();
  });
}

function openSocket(url: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { headers: { connection: 'Upgrade', upgrade: 'websocket' } });
    asking.once('error', reject).once('upgrade', (_answer, socket) => resolve(socket));
    asking.end();
  });
}

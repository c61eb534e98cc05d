import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Entry, type SentEntry } from '../../functions/api/shapes/entry.ts';
import { OperatorError } from '../../lib/files/errors.ts';
import { startLocal } from '../../lib/local/start.ts';
import { unwatchGroup, watchGroup } from '../aws-local/watchdog.ts';
import { entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { httpServer } from '../support/service/http-server.ts';
import { project, seenByBuilds, testPage, WAIT_LIMIT_MS } from '../support/service/place.ts';
import { runningIn, signalIfThere } from '../support/service/processes.ts';
import {
  dataFolder,
  gone,
  loginOf,
  type ServiceProcess,
  type StartProcess,
  startProcess,
} from '../support/service/service-process.ts';

const sampleAt = /The sample application answers at {2}(\S+)/;
const webhookAt = /Webhook +(\S+)\/1\/deploy/;
/** One line that ends as a sentence does, after the lines that tell what is being done. */
const oneSentence = /^(?:… .*\n)*[A-Za-z].*[.)]\n$/;

const Log = v.object({ rows: v.array(Entry) });
const Feed = v.object({ last_seq: v.number() });

// What runs is read from /proc.
describe.skipIf(process.platform !== 'linux')('npm start, stopped and started again', () => {
  let dataDir: string;
  let tree: GitFolder | undefined;
  let service: ServiceProcess;

  beforeAll(async () => {
    dataDir = dataFolder('restart');
    service = startProcess({ dataDir });
    await service.printed(/Ctrl-C ends everything/);
  });
  afterAll(async () => {
    service.kill();
    await service.ended;
    // Also what a failed test has left behind.
    for (const { pid } of runningIn(dataDir)) signalIfThere(pid, 'SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  const page = async () => (await fetch((await service.printed(sampleAt))[1] ?? '')).text();
  const api = async <S extends v.GenericSchema>(path: string, schema: S): Promise<v.InferOutput<S>> => {
    const url = path.startsWith('http') ? path : `${(await service.printed(webhookAt))[1]}${path}`;
    const authorization = `Basic ${Buffer.from(loginOf(dataDir)).toString('base64')}`;
    return v.parse(schema, await (await fetch(url, { headers: { authorization } })).json());
  };
  const until = async (path: string, wanted: (entry: SentEntry) => boolean) => {
    const limit = performance.now() + WAIT_LIMIT_MS;
    while (performance.now() < limit) {
      const entry = await api(`${path}?include_docs=true`, Entry);
      if (wanted(entry)) return entry;
      await setTimeout(50);
    }
    throw new Error(`It never came to that: ${path}`);
  };
  /** Follows the changes after the last of `rows`, until the service is gone. */
  const follow = async (rows: { readonly seq: number; readonly status: string }[]) => {
    const url = `${(await service.printed(webhookAt))[1]}/1/status/demo/changes?since=${rows.at(-1)?.seq ?? 0}`;
    const authorization = `Basic ${Buffer.from(loginOf(dataDir)).toString('base64')}`;
    const { body } = await fetch(url, { headers: { authorization } });
    let rest = '';
    const read = async () => {
      for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = `${rest}${text}`.split('\n');
        rest = lines.pop() ?? '';
        rows.push(...lines.filter(Boolean).map((line) => JSON.parse(line)));
      }
    };
    return { cut: read().catch(() => {}) };
  };
  /** Files of an application whose script waits for that file before it goes on with another one. */
  const waiting = (scripts: Readonly<Record<string, string>>, next = '') => ({
    'package.json': JSON.stringify({ name: 'hello', version: '1.0.0', scripts }),
    'waits.js': `while (!require('node:fs').existsSync(${JSON.stringify(released())})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);${next}`,
  });
  const temporary = () => join(dataDir, 'temporary');
  const released = () => join(seenByBuilds(dataDir), 'released');
  const itWaits = async () => {
    while (!service.family().some(({ command }) => command === 'node waits.js')) await setTimeout(20);
  };
  const restart = async (options: Pick<StartProcess, 'npm' | 'temporary'> = {}) => {
    service = startProcess({ dataDir, ...options });
    await service.printed(/Ctrl-C ends everything/);
  };

  it('npm start deploys a sample application that answers, and prints what to try next', async () => {
    expect(await page()).toContain('Hello from a push');
    expect(service.output()).toContain('git clone');
    expect(service.output()).not.toContain(loginOf(dataDir).split(':')[1]);
  });

  it('npm start refuses to start twice on one data folder', async () => {
    const second = startProcess({ dataDir });
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(oneSentence);
    expect(second.output()).toMatch(/already runs .*stop it first/);
  });

  it('npm start that is killed during a deploy leaves no process behind; the next start finishes the deploy and neither loses nor repeats a change', async () => {
    const rows: { readonly seq: number; readonly status: string }[] = [];
    const { cut } = await follow(rows);
    const repository = /git clone (\S+)/.exec(service.output())?.[1] ?? '';
    tree = gitFolder(join(process.cwd(), repository));
    tree.git('fetch', '--quiet', 'origin', 'main');
    tree.git('checkout', '--quiet', '-B', 'main', 'origin/main');
    const server = `require('node:http').createServer((_, answer) => answer.end('Hello again')).listen(process.env.PORT);`;
    tree.commit({
      ...waiting({ start: 'node server.js', postinstall: 'node waits.js' }),
      'server.js': server,
    });
    const address = entryAddress(await tree.push());
    await until(address, ({ doc }) => doc?.stages.at(-1)?.name === 'extract');
    await itWaits();
    expect(await page()).toContain('Hello from a push');

    const family = service.family();
    service.signal('SIGKILL');
    expect(await service.ended).toBe('SIGKILL');
    await gone(family, dataDir);
    await cut;
    const seenBefore = rows.length;

    writeFileSync(released(), '');
    await restart();
    await follow(rows);
    const path = new URL(address).pathname;
    const entry = await until(path, ({ status }) => status === 'ok' || status === 'error');
    expect(entry).toMatchObject({
      status: 'ok',
      app_name: 'hello',
      doc: { url: (await service.printed(sampleAt))[1] },
    });
    expect(await page()).toBe('Hello again');
    const log = await api('/1/status/demo/webhooks', Log);
    expect(log.rows.map(({ status }) => status)).toEqual(['ok', 'ok']);
    const { last_seq } = await api('/1/status/demo/changes?feed=normal&since=0', Feed);
    await expect.poll(() => rows.at(-1)?.seq).toBeGreaterThanOrEqual(last_seq);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, place) => place + 1));
    expect(rows[last_seq - 1]?.status).toBe('ok');
    expect(seenBefore).toBeLessThan(last_seq);
  });

  it('npm start closes everything and exits with 0 on SIGTERM', async () => {
    const family = service.family();
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    await gone(family, dataDir);
    expect(existsSync(join(dataDir, 'lock'))).toBe(false);
    const log = readFileSync(join(dataDir, 'service.log'), 'utf8');
    expect(log).toContain('"event":"service ends","because":"SIGTERM"');
  });

  it('pushes made while the service was stopped are deployed at the next start', async () => {
    tree?.commit({
      'server.js': `require('node:http').createServer((_, answer) => answer.end('Pushed meanwhile')).listen(process.env.PORT);`,
    });
    expect(await tree?.push()).toContain('is deployed when it starts next');
    // As if the first start had been ended between the push of the sample and the note that it was pushed.
    rmSync(join(dataDir, 'sample-deployed'));
    mkdirSync(temporary());
    await restart({ npm: true, temporary: temporary() });
    while ((await page()) !== 'Pushed meanwhile') await setTimeout(50);
  });

  it('npm start leaves nothing in the folder for temporary files of the machine', () => {
    // Newer versions of npm keep their compiled code there.
    expect(readdirSync(temporary()).filter((name) => name !== 'node-compile-cache')).toEqual([]);
  });

  it('npm start closes everything on Ctrl-C, which npm may send a second time', async () => {
    const family = service.family();
    service.signalGroup('SIGINT');
    // Two that come at once count as one.
    await setTimeout(20);
    service.signalGroup('SIGINT');
    await service.ended;
    await gone(family, dataDir);
    expect(existsSync(join(dataDir, 'lock'))).toBe(false);
    expect(service.output()).not.toMatch(/Error|\n {4}at /);
  });

  let interrupted: string;

  it('npm start ends with all its processes when only npm is killed', async () => {
    await restart({ npm: true });
    expect(await page()).toBe('Pushed meanwhile');
    rmSync(released());
    tree?.commit(waiting({ start: 'node waits.js' }, `require('./server.js');`));
    interrupted = new URL(entryAddress((await tree?.push()) ?? '')).pathname;
    await itWaits();
    const family = service.family();
    service.signal('SIGKILL');
    await service.ended;
    await gone(family, dataDir);
  });

  it('a start after a kill finishes its deploys, and deploys a commit of which no hook has told', async () => {
    writeFileSync(released(), '');
    const sha = tree?.commit({
      'server.js': `require('node:http').createServer((_, answer) => answer.end('Missed')).listen(process.env.PORT);`,
    });
    const repository = join(dataDir, 'repositories', 'repositories', 'demo', 'hello.git');
    // No hook of the repository runs, as when the service is killed between a push and its record.
    tree?.git('--git-dir', repository, 'fetch', '--quiet', tree.folder, 'main:main');
    await restart({ npm: true });
    while ((await page()) !== 'Missed') await setTimeout(50);
    expect((await api(interrupted, Entry)).status).toMatch(/^(?:ok|skipped)$/);
    const [newest] = (await api('/1/status/demo/webhooks?include_docs=true', Log)).rows;
    expect(newest).toMatchObject({ provider: 'git', commit: `demo/hello/${sha}`, doc: { message: 'A change' } });
  });

  it('npm start without a terminal, as under nohup, goes on when the terminal closes, and ends on SIGTERM', async () => {
    const { pid } = JSON.parse(readFileSync(join(dataDir, 'lock'), 'utf8')) as { readonly pid: number };
    const family = service.family();
    // It would outlive these tests as well, if they were killed now.
    watchGroup(service.pid);
    service.signalGroup('SIGHUP');
    await service.ended;
    // Longer than the service takes to notice that npm has ended.
    await setTimeout(1500);
    expect(await page()).toBe('Missed');
    // It also deploys: no program that it needs was in the group of the terminal.
    tree?.commit({ 'after.txt': 'the terminal' });
    expect(await tree?.pushAndWatch()).toMatch(/remote: live after /);
    process.kill(pid, 'SIGTERM');
    await gone(family, dataDir);
    unwatchGroup(service.pid);
  });

  it.skipIf(!existsSync('/usr/bin/script'))('npm start ends with the terminal that it was started in', async () => {
    const command = ['/usr/bin/script', '-qec', `${process.execPath} bin/run.mjs local`, '/dev/null'];
    service = startProcess({ dataDir, other: { command, folder: project } });
    await service.printed(/Ctrl-C ends everything/);
    const family = service.family();
    service.signal('SIGKILL');
    await gone(family, dataDir);
  });

  it('npm start leaves no process behind on Ctrl-C during the start', async () => {
    service = startProcess({ dataDir });
    await service.printed(/starting the platform/);
    const family = service.family();
    service.signalGroup('SIGINT');
    expect(await service.ended).toBe(0);
    await gone(family, dataDir);
    expect(service.output()).not.toMatch(/Error|\n {4}at /);
  });
});

describe('npm start that cannot start', () => {
  const folders: string[] = [];
  const folder = (): string => {
    const made = dataFolder(`in-the-way-${folders.length}`);
    folders.push(made);
    return made;
  };
  afterAll(() => {
    for (const made of folders) rmSync(made, { recursive: true, force: true });
  });

  it('npm start says in one sentence that the port is taken, before it starts anything', async () => {
    const other = await httpServer(() => {});
    const dataDir = folder();
    const { port } = new URL(other.url);
    const process = startProcess({ dataDir, port: Number(port) });
    expect(await process.ended).toBe(1);
    expect(process.output()).toMatch(oneSentence);
    expect(process.output()).toContain(`Port ${port} `);
    expect(existsSync(join(dataDir, 'service.db'))).toBe(false);
    await other.close();
  });

  it('npm start says in one sentence that git is not installed', async () => {
    const process = startProcess({ dataDir: folder(), path: '/nowhere' });
    expect(await process.ended).toBe(1);
    expect(process.output()).toMatch(/^git was not found: .*\n$/);
  });

  it('npm start refuses a data folder of version 1.0.0, which another version has to take over', async () => {
    const dataDir = folder();
    mkdirSync(join(dataDir, 'repositories'), { recursive: true });
    writeFileSync(join(dataDir, 'repositories', 'follow.mjs'), '');
    const failure = await startLocal({ project, dataDir, page: testPage, port: 0 }).catch((error) => error);
    expect(failure).toBeInstanceOf(OperatorError);
    expect(failure.message).toContain('start version 1.1.0 with it once');
    expect(existsSync(join(dataDir, 'service.db'))).toBe(false);
  });

  it.each(['service.db', 'token.key'])(
    'npm start says in one sentence that %s is damaged, and what to do',
    async (file) => {
      const dataDir = folder();
      writeFileSync(join(dataDir, file), 'garbage{'.repeat(1000));
      const failure = await startLocal({ project, dataDir, page: testPage, port: 0 }).catch((error) => error);
      expect(failure).toBeInstanceOf(OperatorError);
      expect(failure.message).toMatch(/^[^\n]+\.$/);
      expect(failure.message).toContain(join(dataDir, file));
      expect(existsSync(join(dataDir, 'lock'))).toBe(false);
    },
  );

  it('npm start replaces damaged files that can be created again', async () => {
    const dataDir = folder();
    for (const file of ['lock', 'ports.json', 'password']) {
      writeFileSync(join(dataDir, file), '\n');
    }
    const service = await startLocal({ project, dataDir, page: testPage, port: 0 });
    expect(service.login.password).toMatch(/^\S{20,}$/);
    await service.close();
  });
});

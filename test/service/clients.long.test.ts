import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FollowedChanges, followChanges } from '../../lib/client/changes.ts';
import { type Client, client } from '../../lib/client/client.ts';
import { followEntry, hasEnded, idOf, logPage } from '../../lib/client/entry.ts';
import { followBuild, followOutput, type OutputLine } from '../../lib/client/output.ts';
import { type LocalService, startLocal } from '../../lib/local/start.ts';
import { application, entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { project, seenByBuilds, testPage, WAIT_LIMIT_MS } from '../support/service/place.ts';
import { dataFolderFor } from '../support/service/started.ts';

const patient = { timeout: WAIT_LIMIT_MS };

/** A proxy before the service: it can cut all connections, and refuse new ones. */
async function proxyTo(state: { target: number | null }) {
  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    sockets.add(from);
    from.on('error', () => undefined).on('close', () => sockets.delete(from));
    if (state.target === null) return void from.destroy();
    const to = connect(state.target, '127.0.0.1');
    to.on('error', () => from.destroy()).on('close', () => from.destroy());
    from.on('close', () => to.destroy()).pipe(to);
    to.pipe(from);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = () => {
    for (const one of sockets) one.destroy();
  };
  const close = () => {
    server.close();
    cut();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut, close };
}

describe('a client of the service', () => {
  const state = { target: null as number | null };
  let dataDir: string;
  let service: LocalService;
  let proxy: Awaited<ReturnType<typeof proxyTo>>;
  let tree: GitFolder;
  const ending = new AbortController();
  const { signal } = ending;

  const start = async () => {
    const settings = { streams: { seconds: 600, perUser: 5, inAll: 100 } };
    service = await startLocal({ project, dataDir, page: testPage, port: 0, settings, log: () => {}, warn: () => {} });
    state.target = Number(new URL(service.url).port);
  };
  beforeAll(async () => {
    dataDir = dataFolderFor('clients');
    proxy = await proxyTo(state);
    await start();
    await service.repoHost.createRepository('demo', 'shop');
    tree = gitFolder(service.repoHost.repositoryPath('demo', 'shop'));
  });
  afterAll(async () => {
    ending.abort();
    proxy.close();
    await service.close();
    tree.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const own = (secret = service.login.password) => client({ url: proxy.url, user: service.login.user, secret });
  const times = { minPauseMs: 20, maxPauseMs: 200, fullMs: 100 };
  /** Follows the changes in the background; returns their numbers so far, and how that has ended. */
  const changes = (at: Client, options: Partial<FollowedChanges> = {}) => {
    const seqs: number[] = [];
    const ended = (async () => {
      for await (const { seq } of followChanges(at, { since: 0, signal, times, ...options })) seqs.push(seq);
      return null;
    })().catch((error: unknown) => error);
    return { seqs, ended };
  };
  const printed = (output: AsyncIterable<OutputLine>) => {
    const lines: string[] = [];
    const ended = (async () => {
      for await (const { line } of output) lines.push(line);
      return null;
    })().catch((error: unknown) => error);
    return { lines, ended };
  };
  /** Past the proxy. */
  const direct = () => client({ url: service.url, user: service.login.user, secret: service.login.password });
  const newest = async () => (await logPage(direct())).rows[0];
  const lastSeq = async () => Math.max(...(await logPage(direct())).rows.map(({ seq }) => seq));
  const ended = async (id: string) => {
    for await (const entry of followEntry(own(), id, signal)) if (hasEnded(entry)) return entry;
    return null;
  };

  it('follows a deploy, its build and all changes to the end over cut connections and a restart of the service', async () => {
    const released = join(seenByBuilds(dataDir), 'released');
    const waits = `console.log('begun'); while (!require('node:fs').existsSync(${JSON.stringify(released)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50); console.log('built');`;
    const manifest = { name: 'shop', version: '1.0.0', scripts: { build: 'node waits.js', start: 'node server.js' } };
    const counts = `let count = 0; setInterval(() => console.log('line ' + (count += 1)), 20);\n`;
    const files = application('shop', 'Hello');
    tree.commit({
      ...files,
      'package.json': JSON.stringify(manifest),
      'waits.js': waits,
      'server.js': `${files['server.js']}${counts}`,
    });
    const followed = changes(own());
    const id = idOf({ id: entryAddress(await tree.push()) });
    const entry = ended(id);
    const build = printed(followBuild(own(), id, signal));
    await expect.poll(() => build.lines, patient).toContain('begun');
    proxy.cut();
    await expect.poll(async () => (await newest())?.status, patient).toBe('running');
    state.target = null;
    proxy.cut();
    await service.close();
    writeFileSync(released, '');
    await start();
    expect(await entry).toMatchObject({ status: 'ok', app_name: 'shop' });
    expect(await build.ended).toBeNull();
    expect(build.lines).toContain('built');
    const last = await lastSeq();
    await expect.poll(() => followed.seqs.at(-1), patient).toBe(last);
    expect(followed.seqs).toEqual(followed.seqs.map((_, place) => place + 1));
  });

  it('gets each line of an output once, however often its connection is cut', async () => {
    const request = { path: ['apps', 'demo', 'shop', 'logs'] };
    const leave = new AbortController();
    const output = printed(followOutput(own(), { request, lines: 1, resumeLines: 1000, signal: leave.signal }));
    for (let cuts = 0; cuts < 3; cuts += 1) {
      const { length } = output.lines;
      await expect.poll(() => output.lines.length, patient).toBeGreaterThan(length + 5);
      proxy.cut();
    }
    await expect.poll(() => output.lines.length, patient).toBeGreaterThan(60);
    leave.abort();
    expect(await output.ended).toBeNull();
    const numbers = output.lines.filter((line) => line.startsWith('line ')).map((line) => Number(line.slice(5)));
    expect(numbers).toEqual(numbers.map((_, place) => (numbers[0] ?? 0) + place));
  });
});

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { openRepositories, startRepoHost } from '../../../../lib/repohost/repohost.ts';
import { bundledProgram } from '../../../support/process/program.ts';
import { descendants, type ProcessMark, signalIfThere, stillRunning } from '../../../support/service/processes.ts';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

const zeros = '0'.repeat(40);
const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
/** A push whose pack is announced, and begins. */
const push = () => {
  const command = `${zeros} ${head} refs/heads/side\0 report-status`;
  return Buffer.concat([Buffer.from(`${line(command)}0000PACK`), Buffer.from([0, 0, 0, 2, 0, 0, 0, 9])]);
};
const clone = () => Buffer.from(`${line(`want ${head} ofs-delta side-band-64k\n`)}0000${line('done\n')}`);

let head: string;

// More than the buffers of a connection hold.
const world = repoHostWorld(
  async ({ copy, start }) => {
    writeFileSync(join(copy.path, 'big'), randomBytes(12_000_000));
    head = await copy.commit('first', { 'package.json': '{}' });
    await start();
    await world.push(world.url(), 'main');
  },
  { once: true },
);
/** The processes of git that serve requests. */
const serving = (pid = process.pid) =>
  descendants(pid).filter(({ command }) => /http-backend|receive-pack|upload-pack|index-pack/.test(command));

/** Sends the head of a request, and what there is of its body. */
function begin(service: string, headers: Readonly<Record<string, string>>, body: string | Buffer): Socket {
  const { port } = new URL(world.url());
  const socket = connect(Number(port), '127.0.0.1');
  const all = {
    host: `127.0.0.1:${port}`,
    authorization: `Basic ${btoa('ada:secret')}`,
    'content-type': `application/x-${service}-request`,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => {});
  socket.write(`POST /ada/app.git/${service} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(body);
  return socket;
}

const chunked = (body: Buffer) =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);
const gzip = { 'content-encoding': 'gzip' };
const cutGzip = (body: Buffer) => gzipSync(Buffer.concat([body, randomBytes(5_000)])).subarray(0, -1_000);

// Processes are read from /proc.
describe.skipIf(process.platform !== 'linux')('The processes of git for a request', () => {
  it.each([
    ['a push with a length', 'git-receive-pack', { 'content-length': '100000' }, push],
    ['a push of which nothing came', 'git-receive-pack', { 'content-length': '100000' }, () => ''],
    ['a push in chunks', 'git-receive-pack', { 'transfer-encoding': 'chunked' }, () => chunked(push())],
    ['a push in gzip', 'git-receive-pack', { 'content-length': '100000', ...gzip }, () => cutGzip(push())],
    ['a clone with a length', 'git-upload-pack', { 'content-length': '100000' }, clone],
    ['a clone in chunks', 'git-upload-pack', { 'transfer-encoding': 'chunked' }, () => chunked(clone())],
  ])('end when the connection is lost in the middle of %s', async (title, service, headers, body) => {
    const socket = begin(service, headers, body());
    await expect.poll(() => serving().length).toBeGreaterThan(1);
    socket.destroy();
    await expect.poll(serving).toEqual([]);
    expect(await world.push(world.url(), `main:after-${title.replaceAll(' ', '-')}`)).toContain('new branch');
  });

  it('end when the connection is lost in the middle of the answer', async () => {
    const body = clone();
    const socket = begin('git-upload-pack', { 'content-length': String(body.length) }, body);
    await once(socket, 'data');
    socket.pause();
    await expect.poll(() => serving().length).toBeGreaterThan(1);
    socket.destroy();
    await expect.poll(serving).toEqual([]);
  });

  it('end with the host, while clients hold their connections', async () => {
    const sockets = [
      begin('git-receive-pack', { 'content-length': '100000' }, push()),
      begin('git-receive-pack', { 'transfer-encoding': 'chunked' }, chunked(push())),
    ];
    await expect.poll(() => serving().length).toBeGreaterThan(3);
    await world.host.close();
    expect(serving()).toEqual([]);
    for (const socket of sockets) socket.destroy();
  });
});

/** A hook that does not end by itself. */
const HANGS = "trap '' TERM; while true; do sleep 1; done";

describe.skipIf(process.platform !== 'linux')('The processes of git for a push that a hook holds up', () => {
  const children: ChildProcess[] = [];
  let held: readonly ProcessMark[] = [];

  afterEach(() => {
    for (const { pid } of held) signalIfThere(pid, 'SIGKILL');
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  it('end with the host', async () => {
    await world.start();
    await world.host.createRepository('ada', 'held');
    const hook = join(world.host.repositoryPath('ada', 'held'), 'hooks/pre-receive');
    writeFileSync(hook, `#!/bin/sh\n${HANGS}\n`, { mode: 0o755 });
    children.push(world.pushInGroup(world.host.cloneUrl('ada', 'held').replace('//', '//ada:secret@')));
    await expect.poll(() => descendants(process.pid).some(({ command }) => command.includes('pre-receive'))).toBe(true);
    await world.host.close();
    expect(serving()).toEqual([]);
  });

  /** A host in a process of its own, in the middle of such a push. */
  async function heldUp(script = HANGS): Promise<{ readonly host: ChildProcess; readonly dataDir: string }> {
    const dataDir = mkdtempSync(join(world.folder, 'apart-'));
    const program = await bundledProgram('test/support/process/repohost-process.ts');
    const host = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(host);
    const [url] = await once(host.stdout, 'data');
    const reached = join(dataDir, 'reached');
    const hook = join(dataDir, 'repositories/ada/app.git/hooks/pre-receive');
    writeFileSync(hook, `#!/bin/sh\n: > '${reached.replaceAll("'", `'\\''`)}'\n${script}\n`, { mode: 0o755 });
    children.push(world.pushInGroup(String(url).trim()));
    await expect.poll(() => existsSync(reached)).toBe(true);
    held = descendants(host.pid ?? 0).filter(({ command }) => !command.includes('runner.cjs'));
    expect(held.map(({ command }) => command).join('\n')).toMatch(/http-backend[\s\S]*pre-receive/);
    return { host, dataDir };
  }

  it('do their last work when the host is killed', async () => {
    const { host, dataDir } = await heldUp('sleep 1.5');
    host.kill('SIGKILL');
    await expect.poll(() => stillRunning(held), { timeout: 10_000 }).toEqual([]);
    const refs = execFileSync('git', ['for-each-ref', '--format=%(refname)'], {
      cwd: join(dataDir, 'repositories/ada/app.git'),
      encoding: 'utf8',
    });
    expect(refs).toContain('refs/heads/');
  });

  it('end when the host is killed', async () => {
    const { host } = await heldUp();
    host.kill('SIGKILL');
    await expect.poll(() => stillRunning(held), { timeout: 10_000 }).toEqual([]);
  });

  it('end at the next start, when the runner was killed as well', async () => {
    const { host, dataDir } = await heldUp();
    const runners = descendants(host.pid ?? 0).filter(({ command }) => command.includes('runner.cjs'));
    for (const { pid } of runners) signalIfThere(pid, 'SIGKILL');
    host.kill('SIGKILL');
    await once(host, 'exit');
    expect(stillRunning(held)).not.toEqual([]);
    const options = { port: 0, verify: async () => false, receiver: world.service };
    const next = await startRepoHost(await openRepositories(dataDir), options);
    expect(stillRunning(held)).toEqual([]);
    await next.close();
  });
});

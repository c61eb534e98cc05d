import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

let head: string;

const world = repoHostWorld(async ({ copy, start }) => {
  head = await copy.commit('first', { a: '1' });
  await (await start()).createRepository('ada', 'app');
});
const stored = () => readdirSync(join(world.dataDir, 'deliveries')).length;

/** Runs the hook as git does in a push over HTTP; `channel` is what the host has of it. */
function runHook(options: Readonly<Record<string, string>> = {}) {
  const repository = world.host.repositoryPath('ada', 'app');
  const env = { PATH: process.env.PATH, REPOHOST_LIFELINE: '3', REMOTE_USER: 'ada', ...options };
  const stdio = ['pipe', 'pipe', 'inherit', 'pipe'] as const;
  const child = spawn(join(repository, 'hooks/post-receive'), { cwd: repository, env, stdio: [...stdio] });
  child.stdin?.end(`${'0'.repeat(40)} ${head} refs/heads/main\n`);
  const channel = child.stdio[3] as Socket;
  return { channel, printed: child.stdout ? text(child.stdout) : Promise.resolve('') };
}

/** The hook writes it in parts. */
async function reportOf(channel: Socket): Promise<string> {
  let report = '';
  channel.on('data', (part) => {
    report += part;
  });
  await expect.poll(() => report).toContain('\n\n');
  return report;
}

describe('The hook of a push over HTTP', () => {
  it('leaves the delivery to the host, which needs no further process for it', async () => {
    rmSync(join(world.dataDir, 'post-receive.mjs'));
    expect(await world.push(world.url(), 'main')).toMatch(/remote: deploy main \([0-9a-f]{7}\) queued/);
    expect(world.service.calls).toHaveLength(1);
    expect(stored()).toBe(0);
  });

  it('reports the refs and the option nowait, and prints what the host says until the host ends', async () => {
    const { channel, printed } = runHook({
      GIT_PUSH_OPTION_COUNT: '2',
      GIT_PUSH_OPTION_0: 'a b',
      GIT_PUSH_OPTION_1: 'nowait',
    });
    expect(await reportOf(channel)).toBe(`${'0'.repeat(40)} ${head} refs/heads/main\nnowait\n\n`);
    channel.write('taken\none\n');
    channel.end('two\n');
    expect(await printed).toBe('one\ntwo\n');
    expect(world.service.calls).toHaveLength(0);
  });

  it.each([
    ['before it has read the report', false],
    ['after that', true],
  ])('stores and sends the delivery by itself when the host ends %s', async (_, reads) => {
    await world.copy.git('push', world.host.repositoryPath('ada', 'app'), 'main');
    const { channel, printed } = runHook();
    if (reads) await reportOf(channel);
    channel.destroy();
    expect(await printed).toContain('deploy main');
    expect(world.service.calls).toHaveLength(2);
    expect(stored()).toBe(0);
  });

  it('keeps the delivery when the service is down, which the host sends later', async () => {
    world.service.answer = (response) => response.writeHead(503).end();
    expect(await world.push(world.url(), 'main')).toContain('The push is kept');
    expect(stored()).toBe(1);
    world.service.answer = (response) => response.writeHead(202).end('{}');
    await world.host.close();
    await world.start();
    await expect.poll(stored).toBe(0);
    const ids = world.service.calls.map(({ headers }) => headers['x-github-delivery']);
    expect(new Set(ids).size).toBe(1);
  });

  it('sends one delivery when the client goes while it is being sent', async () => {
    let answered: (() => void) | undefined;
    world.service.answer = (response) => {
      answered = () => response.writeHead(202).end('{}');
    };
    const pushing = world.pushInGroup(world.url());
    await expect.poll(() => answered).toBeDefined();
    process.kill(-(pushing.pid ?? 0), 'SIGKILL');
    await once(pushing, 'close');
    answered?.();
    await expect.poll(stored).toBe(0);
    await world.host.close();
    expect(world.service.calls).toHaveLength(1);
  });
});

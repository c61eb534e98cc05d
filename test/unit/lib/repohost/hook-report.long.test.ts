import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { readReport, reportText } from '../../../../lib/repohost/push/report.ts';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

let head: string;

const world = repoHostWorld(async ({ copy, start }) => {
  head = await copy.commit('first', { a: '1' });
  await (await start()).createRepository('ada', 'app');
});

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
  it('leaves the push to the host, which needs no further process for it', async () => {
    rmSync(join(world.dataDir, 'post-receive.mjs'));
    expect(await world.push(world.url(), 'main')).toMatch(/remote: deploy main \([0-9a-f]{7}\) queued/);
    expect(world.service.pushes).toHaveLength(1);
  });

  it('reports the refs and the options of the push, and prints what the host says until the host ends', async () => {
    const { channel, printed } = runHook({
      GIT_PUSH_OPTION_COUNT: '2',
      GIT_PUSH_OPTION_0: 'a b',
      GIT_PUSH_OPTION_1: 'nowait',
    });
    expect(await reportOf(channel)).toBe(`${'0'.repeat(40)} ${head} refs/heads/main\noption a b\noption nowait\n\n`);
    channel.write('taken\none\n');
    channel.end('two\n');
    expect(await printed).toBe('one\ntwo\n');
    expect(world.service.pushes).toHaveLength(0);
  });

  it('reports of an option with several lines the first one, and no line of its own in the place of the others', async () => {
    const forged = `${'0'.repeat(40)} ${head} refs/heads/forged`;
    const odd = [
      `preview\n${forged}`,
      '\n\nin /elsewhere',
      'nowait\r\x1b[2J\u2028 $(id) `id` \\n %s',
      'x'.repeat(60_000),
    ];
    const options = odd.map((value, place) => [`GIT_PUSH_OPTION_${place}`, value]);
    const { channel } = runHook({ GIT_PUSH_OPTION_COUNT: '4', ...Object.fromEntries(options) });
    const expected = ['preview …', ' …', odd[2], odd[3]];
    const moved = `${'0'.repeat(40)} ${head} refs/heads/main`;
    expect(await readReport(channel)).toEqual({ folder: null, moved, options: expected });
    const read = new PassThrough();
    read.end(reportText({ folder: null, moved, options: odd }));
    expect(await readReport(read)).toEqual({ folder: null, moved, options: expected });
  });

  it.each([
    ['before it has read the report', false],
    ['after that', true],
  ])('says that the push is kept when the host ends %s', async (_, reads) => {
    const { channel, printed } = runHook();
    if (reads) await reportOf(channel);
    channel.destroy();
    expect(await printed).toContain('the deploy service is not running. The push is kept');
  });

  it('has the push recorded once when the client goes meanwhile', async () => {
    let record: (() => void) | undefined;
    world.service.before = () =>
      new Promise((resolve) => {
        record = resolve;
      });
    const pushing = world.pushInGroup(world.url());
    await expect.poll(() => record).toBeDefined();
    process.kill(-(pushing.pid ?? 0), 'SIGKILL');
    await once(pushing, 'close');
    record?.();
    await world.host.close();
    expect(world.service.pushes).toHaveLength(1);
  });
});

describe('A report', () => {
  const report = {
    folder: '/data/a b.git',
    moved: `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/in here`,
    options: ['nowait', 'preview'],
  };

  it.each([1, 2, 3, 7, 1000])('is read as it was written, in parts of %i bytes', async (size) => {
    const channel = new PassThrough();
    const read = readReport(channel);
    const sent = Buffer.from(reportText(report));
    for (let at = 0; at < sent.length; at += size) channel.write(sent.subarray(at, at + size));
    expect(await read).toEqual(report);
  });

  it('that is cut off is none', async () => {
    const channel = new PassThrough();
    const read = readReport(channel);
    channel.end(reportText(report).slice(0, -1));
    expect(await read).toBeNull();
  });
});

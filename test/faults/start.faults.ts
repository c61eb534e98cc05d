import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import { bodyOf } from '../support/body-of.ts';
import { githubPush } from '../support/senders/github-push.ts';
import { runningIn, signalIfThere } from '../support/service/processes.ts';
import { dataFolder, loginOf, type ServiceProcess, startProcess } from '../support/service/service-process.ts';

const sampleAt = /The sample application answers at {2}(\S+)/;
const webhookAt = /Webhook +(\S+)\/1\/deploy/;

/** Writes a file until the disk is full. */
function fill(path: string): void {
  const piece = Buffer.alloc(1024 * 1024);
  const file = openSync(path, 'a');
  try {
    for (;;) writeSync(file, piece);
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('ENOSPC'))) throw error;
  } finally {
    closeSync(file);
  }
}

// What runs is read from /proc, and /dev/full exists on Linux only.
describe.skipIf(process.platform !== 'linux')('npm start, when the machine fails it', () => {
  let dataDir: string;
  let service: ServiceProcess;
  afterEach(async () => {
    service.kill();
    await service.ended;
    for (const { pid } of runningIn(dataDir)) signalIfThere(pid, 'SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  const page = async () => (await fetch((await service.printed(sampleAt))[1] ?? '')).text();
  const log = async () => {
    const authorization = `Basic ${Buffer.from(loginOf(dataDir)).toString('base64')}`;
    const url = `${(await service.printed(webhookAt))[1]}/1/status/demo/webhooks`;
    return fetch(url, { headers: { authorization } });
  };

  const app = async (method: string, operation = '') => {
    const authorization = `Basic ${Buffer.from(loginOf(dataDir)).toString('base64')}`;
    const url = `${(await service.printed(webhookAt))[1]}/1/apps/demo/hello${operation}`;
    return fetch(url, { method, headers: { authorization } });
  };

  /** A push of the sample's repository, as its host reports it. */
  const hook = async (sha: string) => {
    const { repositories } = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8'));
    const authorization = `Basic ${Buffer.from(loginOf(dataDir)).toString('base64')}`;
    return fetch(`${(await service.printed(webhookAt))[1]}/1/deploy?branch=main`, {
      method: 'POST',
      headers: { authorization, 'x-github-event': 'push', 'content-type': 'application/json' },
      body: JSON.stringify(githubPush(`http://127.0.0.1:${repositories}`, { owner: 'demo', name: 'hello', sha })),
    });
  };

  it('npm start works without its log, and says once that it cannot be written', async () => {
    dataDir = dataFolder('no-log');
    symlinkSync('/dev/full', join(dataDir, 'service.log'));
    service = startProcess({ dataDir });
    await service.printed(/Ctrl-C ends everything/);
    expect(await page()).toContain('Hello from a push');
    expect((await log()).status).toBe(200);
    expect(service.output().match(/service\.log cannot be written \(ENOSPC/g)).toHaveLength(1);
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  it('npm start removes what kills leave', async () => {
    dataDir = dataFolder('leftovers');
    writeFileSync(join(dataDir, 'ports.json'), 'null');
    mkdirSync(join(dataDir, 'sample-aB3xYz'));
    service = startProcess({ dataDir });
    await service.printed(/Ctrl-C ends everything/);
    expect(readdirSync(dataDir).filter((name) => /^sample-\w{6}$|\.tmp$/.test(name))).toEqual([]);
    expect(JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8'))).toMatchObject({
      platform: expect.any(Number),
    });
    expect(await page()).toContain('Hello from a push');
  });

  const isRoot = process.getuid?.() === 0;

  // A file system of its own, which only root can make.
  it.runIf(isRoot)(
    'npm start survives a full disk: hooks are 503, the application answers, can be stopped and removed, and all goes on',
    async () => {
      dataDir = dataFolder('full-disk');
      const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=240m', 'tmpfs', dataDir]);
      // In a container without the right to mount there is nothing to fill.
      if (status !== 0) return;
      try {
        service = startProcess({ dataDir });
        await service.printed(/Ctrl-C ends everything/);
        expect((await hook('1'.repeat(40))).status).toBe(202);
        const refused = async () => {
          // What is still under way may end, and free some of it.
          fill(join(dataDir, 'filler'));
          const answer = await hook(randomBytes(20).toString('hex'));
          return [answer.status, await answer.json()];
        };
        await expect
          .poll(refused, { timeout: 20_000 })
          .toMatchObject([503, { code: 'deploy:db:failed_to_store_payload' }]);
        expect(await page()).toContain('Hello from a push');
        rmSync(join(dataDir, 'filler'));
        await expect.poll(async () => (await hook('3'.repeat(40))).status, { timeout: 60_000 }).toBe(202);
        expect(await page()).toContain('Hello from a push');
        // What makes room is done without it.
        fill(join(dataDir, 'filler'));
        expect((await app('POST', '/stop')).status).toBe(202);
        const state = async () => (await bodyOf(await app('GET'), { state: v.string() })).state;
        await expect.poll(state, { timeout: 20_000 }).toBe('stopped');
        expect((await app('DELETE')).status).toBe(202);
        await expect.poll(async () => (await app('GET')).status, { timeout: 60_000 }).toBe(404);
        service.signal('SIGTERM');
        expect(await service.ended).toBe(0);
      } finally {
        service.kill();
        await service.ended;
        spawnSync('umount', ['--lazy', dataDir]);
      }
    },
    400_000,
  );

  it('npm start is ready with its data after a kill of all its processes at once', async () => {
    dataDir = dataFolder('kill-all');
    service = startProcess({ dataDir });
    await service.printed(/Ctrl-C ends everything/);
    const entries = async () => {
      const { rows } = await bodyOf(await log(), { rows: v.array(v.object({ uuid: v.string(), status: v.string() })) });
      return rows;
    };
    const before = await entries();
    expect(before).toMatchObject([{ status: 'ok' }]);
    const nodes = service.family();
    // The runner and the service itself first: they must not have the time to end anything.
    const isRunner = ({ command }: { readonly command: string }) => command.includes('runner.cjs');
    for (const { pid } of nodes.filter(isRunner)) signalIfThere(pid, 'SIGKILL');
    service.signal('SIGKILL');
    for (const { pid } of nodes) signalIfThere(pid, 'SIGKILL');
    await service.ended;
    service = startProcess({ dataDir });
    await service.printed(/Ctrl-C ends everything/);
    expect(await entries()).toEqual(before);
    expect(await page()).toContain('Hello from a push');
  });
});

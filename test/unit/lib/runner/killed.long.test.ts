import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { helloOf, listenFor } from '../../../../lib/runner/program/client.ts';
import { startRunner } from '../../../../lib/runner/program/start.ts';
import { afterwards, isAlive, temporaryFolder, until } from '../../../support/platform/harness.ts';

const service = [{ name: 'api', socket: 'api.sock', port: 0 }];

async function filesIn() {
  const folder = await temporaryFolder();
  return { folder, ports: join(folder, 'ports.json'), reserve: join(folder, 'reserve') };
}

it('a runner that is killed is followed by one with its ports and its socket; calls wait for it', async () => {
  const files = await filesIn();
  const warnings: string[] = [];
  const own = { ...process.env, RUNNER_LINGER: '60' };
  const runner = await startRunner({ ...files, own, service, warn: (sentence) => warnings.push(sentence) });
  afterwards(runner.close);
  const socketPath = join(files.folder, 'runner.sock');
  const seen = new Set<number>();
  for (let kills = 0; kills < 3; kills += 1) {
    const { pid = 0, held = [] } = (await helloOf(socketPath)) ?? {};
    seen.add(pid);
    process.kill(pid, 'SIGKILL');
    const client = connect(runner.ports.api ?? 0, '127.0.0.1');
    afterwards(async () => void client.destroy());
    await once(client, 'connect');
    expect(await runner.states()).toEqual([]);
    const next = await helloOf(socketPath);
    expect(next).toMatchObject({ held, port: runner.door.port() });
    expect(client.readyState).toBe('open');
    expect(seen).not.toContain(next?.pid);
    await until('the service has seen it', () => warnings.length === kills + 1);
  }
  expect(warnings[0]).toBe('The runner of the applications has ended (SIGKILL): it is started again.');
});

it('after one that ends by itself there is none', async () => {
  const files = await filesIn();
  const runner = await startRunner({ ...files, own: { ...process.env, RUNNER_LINGER: '60' }, service, warn: () => {} });
  const pid = (await helloOf(join(files.folder, 'runner.sock')))?.pid ?? 0;
  await runner.close();
  await until('it has ended', async () => !(await isAlive(pid)));
  expect(await helloOf(join(files.folder, 'runner.sock'))).toBeUndefined();
});

/** A runner as a unit of a manager, which has killed it. */
async function killedUnit(more: Readonly<Record<string, string>>) {
  const dataDir = await temporaryFolder();
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, DATA_DIR: dataDir, RUNNER_LINGER: 'infinity', ...more };
  const unit: ChildProcess = spawn(process.execPath, ['bin/run.mjs', 'runner'], { env, stdio: 'ignore' });
  afterwards(async () => void unit.kill('SIGKILL'));
  const socketPath = join(dataDir, 'platform/runner.sock');
  await until('it answers', async () => (await helloOf(socketPath)) !== undefined);
  const { ports } = await listenFor(socketPath, service);
  unit.kill('SIGKILL');
  await once(unit, 'exit');
  return { socketPath, port: ports.api ?? 0 };
}

it('as a unit of systemd, which waits for all of its processes, it is followed by the next one', async () => {
  const { socketPath, port } = await killedUnit({ INVOCATION_ID: 'x' });
  const next = await helloOf(socketPath);
  expect(next).toMatchObject({ stays: true, held: [{ port }] });
  process.kill(next?.pid ?? 0, 'SIGTERM');
  await until('it has ended', async () => !(await isAlive(next?.pid ?? 0)));
});

it('as a unit of another manager, which starts it again, it is followed by none', async () => {
  const { socketPath, port } = await killedUnit({ INVOCATION_ID: '' });
  await until('its port is free', async () => {
    const client = connect(port, '127.0.0.1');
    const code = await once(client, 'connect').then(
      () => 'connected',
      (error: NodeJS.ErrnoException) => error.code,
    );
    client.destroy();
    return code === 'ECONNREFUSED';
  });
  expect(await helloOf(socketPath)).toBeUndefined();
});

import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listen } from '../../../../lib/http/ports.ts';
import { helloOf } from '../../../../lib/runner/program/client.ts';
import { startRunner } from '../../../../lib/runner/program/start.ts';
import { specIn } from '../../../support/platform/app-spec.ts';
import { afterwards, temporaryFolder } from '../../../support/platform/harness.ts';
import { at } from '../../../support/process/inherited.ts';

async function started(folder: string, warn: (sentence: string) => void = () => {}) {
  const files = { folder, ports: join(folder, 'ports.json'), reserve: join(folder, 'reserve') };
  const runner = await startRunner({ ...files, own: { ...process.env, RUNNER_LINGER: '60' }, warn });
  afterwards(runner.close);
  return runner;
}

it('only its user can talk to it', async () => {
  const folder = await temporaryFolder();
  await started(folder);
  expect(statSync(join(folder, 'runner.sock')).mode & 0o777).toBe(0o600);
});

it('a question for events waits until something happens, or who asked has left', async () => {
  const runner = await started(await temporaryFolder());
  const left = new AbortController();
  const asked = runner.events(null, left.signal);
  const outcome = await Promise.race([asked.catch((error: Error) => error.message), runner.states()]);
  expect(outcome).toEqual([]);
  left.abort();
  await expect(asked).rejects.toThrow('aborted');
});

it('refuses what it cannot do with the sentence and the status of the call', async () => {
  const folder = await temporaryFolder();
  const runner = await started(folder);
  await expect(runner.apply(specIn(folder), { is: 'restart' })).rejects.toMatchObject({
    status: 409,
    message: 'Nothing has been started yet; start a snapshot first.',
  });
});

it('a wrong time to wait for a service is refused', async () => {
  const folder = await temporaryFolder();
  const files = { folder, ports: join(folder, 'ports.json'), reserve: join(folder, 'reserve') };
  const start = startRunner({ ...files, own: { RUNNER_LINGER: 'soon' }, warn: () => {} });
  await expect(start).rejects.toThrow('RUNNER_LINGER is a number of seconds or infinity, not "soon".');
});

it('a folder whose path is too long for a socket is refused in one sentence', async () => {
  const folder = join(await temporaryFolder(), 'x'.repeat(120));
  const start = startRunner({ folder, ports: 'ports.json', reserve: 'reserve', own: {}, warn: () => {} });
  await expect(start).rejects.toThrow('The path of the data folder is too long for a socket in it');
});

it('as a unit of its own it is neither started nor ended by the service', async () => {
  const dataDir = await temporaryFolder();
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, DATA_DIR: dataDir, RUNNER_LINGER: 'infinity' };
  const files = { folder: join(dataDir, 'platform'), ports: join(dataDir, 'ports.json'), reserve: dataDir };
  const started = startRunner({ ...files, own: env, warn: () => {} });
  const ofStarter = openSync(join(dataDir, 'starter'), 'w');
  afterwards(async () => closeSync(ofStarter));
  const stdio: StdioOptions = ['ignore', 'inherit', 'inherit', ...at({ 251: ofStarter })];
  const unit = spawn(process.execPath, ['bin/run.mjs', 'runner'], { env, stdio });
  const ended = once(unit, 'exit');
  afterwards(async () => void unit.kill('SIGKILL'));

  const runner = await started;
  expect(await runner.states()).toEqual([]);
  await runner.close();

  expect((await helloOf(join(files.folder, 'runner.sock')))?.pid).toBe(unit.pid);
  // What its starter has open is open in no application.
  if (process.platform === 'linux') expect(existsSync(`/proc/${unit.pid}/fd/251`)).toBe(false);
  unit.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('a port that another program has is said in one sentence', async () => {
  const folder = await temporaryFolder();
  const taken = createServer();
  const port = await listen(taken, 0);
  afterwards(async () => void taken.close());
  const files = { folder, ports: join(folder, 'ports.json'), reserve: join(folder, 'reserve') };
  const service = [{ name: 'api', socket: 'api.sock', port }];
  const start = startRunner({ ...files, own: { ...process.env, RUNNER_LINGER: '1' }, service, warn: () => {} });
  await expect(start).rejects.toThrow(/^The runner of the applications does not listen for the service: .*EADDRINUSE/);
});

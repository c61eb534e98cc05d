import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NO_RESERVE } from '../../../../lib/files/disk-reserve.ts';
import { defaultLimits } from '../../../../lib/platform/settings.ts';
import { type Apps, apps } from '../../../../lib/platform/store/apps.ts';
import { folders } from '../../../../lib/platform/store/folders.ts';
import { appNamed } from '../../../../lib/platform/store/names.ts';
import { snapshots } from '../../../../lib/platform/store/snapshots.ts';
import { variableStore } from '../../../../lib/platform/store/variables.ts';
import { openGroupRegistry } from '../../../../lib/process/group-registry.ts';
import { memoryWatch } from '../../../../lib/runner/limits/memory-watch.ts';
import { Runner } from '../../../../lib/runner/runner.ts';
import { afterwards, isAlive, temporaryFolder } from '../../../support/platform/harness.ts';

const app = appNamed('ada', 'hello');

/** Returns the runner of an application with this server, which stores its state as `change` makes of it. */
async function runnerOf(server: string, change: (stored: Apps) => Apps['change']): Promise<Runner> {
  const dirs = folders(await temporaryFolder());
  const stores = { apps: apps(dirs), snapshots: snapshots(dirs), variables: variableStore(dirs) };
  const release = dirs.ofApp(app).snapshot('1').release;
  await mkdir(release, { recursive: true });
  await writeFile(join(release, 'package.json'), '{ "name": "hello" }');
  await writeFile(join(release, 'server.js'), server);
  await stores.apps.create({ ...app, full: 'hello' }, { name: 'hello' });
  const snapshot = { sha256: '', size: 0, uploaded_at: '', reason: null, log: [], dependencies: null };
  const built = { path: '', node: null, tools: [], warnings: [], built_at: null };
  const noDeploy = { deploy: null, awaited_at: null, note: null, released: false };
  await stores.snapshots.write(app, { id: '1', state: 'ready', ...snapshot, ...built, ...noDeploy });
  const groups = await openGroupRegistry(dirs.groups);
  const limits = { ...defaultLimits, crashPauseMs: 10 };
  const running = new Runner(
    {
      ...stores,
      apps: { ...stores.apps, change: change(stores.apps) },
      own: process.env,
      folders: dirs,
      groups,
      domain: undefined,
      reserve: NO_RESERVE,
      limits,
      memoryLimits: {},
      memory: memoryWatch(limits.memoryCheckMs),
      log: () => undefined,
      wakeTurns: (work) => work(),
      onServing: async () => undefined,
      onRetired: async () => undefined,
    },
    app,
  );
  afterwards(() => groups.close());
  afterwards(() => running.close());
  return running;
}

it('an application that ends before its start is stored is started again', async () => {
  const place = await temporaryFolder();
  const [pid, end] = [join(place, 'pid'), join(place, 'end')];
  const endsOnce = `
    const { existsSync, writeFileSync } = require('node:fs');
    if (!existsSync('${pid}')) setInterval(() => existsSync('${end}') && process.exit(1), 10);
    writeFileSync('${pid}', String(process.pid));
    require('node:http').createServer((_, response) => response.end('up')).listen(process.env.PORT, process.env.HOST);`;
  let first = 0;
  const slow = (stored: Apps): Apps['change'] => {
    return async (name, fields) => {
      if ('active' in fields && fields.active && !existsSync(end)) {
        first = Number(readFileSync(pid, 'utf8'));
        await writeFile(end, '');
        await expect.poll(() => isAlive(first)).toBe(false);
      }
      return stored.change(name, fields);
    };
  };
  const running = await runnerOf(endsOnce, slow);

  await running.start('1');

  await expect.poll(() => Number(readFileSync(pid, 'utf8'))).not.toBe(first);
  await expect.poll(() => running.state()).toBe('running');
});

const UP = "require('node:http').createServer((_, s) => s.end('up')).listen(process.env.PORT, process.env.HOST);";

it('an application whose release is built again is starting; one that is stopped meanwhile stays so', async () => {
  const running = await runnerOf(UP, (stored) => stored.change);
  await running.start('1');
  await running.stop();
  let built = () => {};
  const resumed = running.resume(new Promise<void>((resolve) => (built = resolve)));
  expect(running.state()).toBe('starting');

  await running.stop();
  built();
  await resumed;

  expect(running.state()).toBe('stopped');
});

import fs, { existsSync, readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StoreError } from '../../../../functions/adapters/stores/sqlite/store-error.ts';
import type { Tables } from '../../../../functions/adapters/stores/sqlite/tables.ts';
import { openReserve } from '../../../../lib/files/disk-reserve.ts';
import { FULL_DISK } from '../../../../lib/files/errors.ts';
import { folders } from '../../../../lib/platform/store/folders.ts';
import {
  afterwards,
  appFiles,
  appOf,
  build,
  deploy,
  hello,
  logsOf,
  platform,
  refusalOf,
  serverFile,
  start,
  temporaryFolder,
  visit,
} from '../../../support/platform/harness.ts';

/** Tables that take no writes while the disk is full. */
function fullTables(isFull: () => boolean): (tables: Tables) => Tables {
  return (tables) => {
    const writing =
      (write: Tables['write']) =>
      async <T>(work: () => T) => {
        if (!isFull()) return write(work);
        throw new StoreError('The disk is full.', { cause: Object.assign(new Error(), { code: 'SQLITE_FULL' }) });
      };
    return { ...tables, write: writing(tables.write), note: writing(tables.note) };
  };
}

/** Lets no file below a folder be written, as on a full disk, while the reserve is whole. */
function fillDisk(folder: string, isFull: () => boolean): void {
  const { open } = fs.promises;
  fs.promises.open = async (path, flags, mode) => {
    const writes = flags !== undefined && flags !== 'r';
    if (writes && String(path).startsWith(folder) && isFull()) {
      throw Object.assign(new Error('ENOSPC: no space left on device, open'), { code: 'ENOSPC' });
    }
    return open(path, flags, mode);
  };
  syncBuiltinESMExports();
  afterwards(async () => {
    fs.promises.open = open;
    syncBuiltinESMExports();
  });
}

it('on a full disk an application can be stopped and removed, the platform starts, and others answer', async () => {
  const dataDir = await temporaryFolder();
  const folder = join(dataDir, 'reserve');
  let free = 2 ** 30;
  const reserve = await openReserve({ folder, freeBytes: async () => free });
  await reserve.check();
  afterwards(reserve.close);
  const parts = () => readdirSync(folder).length;
  const whole = parts();
  let isFilled = false;
  const isFull = () => isFilled && parts() >= whole;
  const tables = fullTables(isFull);
  const at = await platform({ dataDir, reserve, tables });
  const first = await deploy(at, 'first', '1', appFiles('first', serverFile('first')));
  const second = await deploy(at, 'second', '1', appFiles('second', serverFile('second')));

  // Enough that no check frees a part, and too little to make one again.
  free = 2 ** 20;
  isFilled = true;
  fillDisk(dataDir, isFull);

  expect(await refusalOf(at.variables.set(appOf('first'), { A: '1' }))).toMatchObject({ status: 500 });
  await at.operations.stop(appOf('first'));
  expect((await at.applications.find(appOf('first')))?.state).toBe('stopped');
  expect((await fetch(first.url)).status).toBe(503);
  expect(parts()).toBe(whole - 1);

  free = 2 ** 30;
  await reserve.check();
  free = 2 ** 20;
  expect(parts()).toBe(whole);
  await at.operations.remove(appOf('first'));
  expect(existsSync(join(dataDir, 'apps', 'ada', 'first'))).toBe(false);
  expect(await (await fetch(second.url)).text()).toBe('second');
  expect(await logsOf(at, { app: 'second' })).toContain('serves');

  await at.close();
  const again = await platform({ dataDir, reserve, tables });
  await expect.poll(async () => (await again.applications.find(appOf('second')))?.state).toBe('running');
  expect(await again.applications.find(appOf('first'))).toBeNull();
});

it('a build that has filled the disk fails at once with that reason, and the next one is built', async () => {
  const dataDir = await temporaryFolder();
  const { release } = folders(dataDir).ofApp({ user: 'ada', app: 'big' }).snapshot('1');
  // Until what it has written is removed.
  const tables = fullTables(() => existsSync(join(release, 'filler')));
  const at = await platform({ dataDir, tables });
  const scripts = { build: 'echo x > filler' };

  const built = await build(at, 'big', '1', appFiles('big', serverFile('big'), { scripts }));

  expect(built).toMatchObject({ state: 'failed', reason: FULL_DISK });
  await deploy(at, 'big', '2', appFiles('big', serverFile('big')));
});

it.each([
  ['stopped', false],
  ['running', true],
])('a release whose start cannot be recorded leaves an application that was %s so', async (state, runs) => {
  let isFull = false;
  const at = await platform({
    tables: fullTables(() => isFull),
    runner: (runner) => ({
      ...runner,
      apply: async (app, act) => {
        const port = await runner.apply(app, act);
        isFull ||= act?.is === 'start' && act.release.snapshot === '2';
        return port;
      },
    }),
  });
  await deploy(at, 'hello', '1', appFiles('hello', serverFile('one')));
  if (!runs) await at.operations.stop(hello);
  await build(at, 'hello', '2', appFiles('hello', serverFile('two')));
  expect(await refusalOf(start(at, 'hello', '2'))).toMatchObject({ error: expect.stringContaining(FULL_DISK) });
  isFull = false;
  expect((await at.applications.find(hello))?.state).toBe(state);
  expect(await visit(at, 'hello.ada.localhost')).toMatchObject(runs ? { body: 'one' } : { status: 503 });
});

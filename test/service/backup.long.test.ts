import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocal } from '../../lib/local/start.ts';
import { cli } from '../support/cli.ts';
import { type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { project, testFolder, testPage } from '../support/service/place.ts';
import { clientOf, type Started, startEngineForTest } from '../support/service/started.ts';

/** Counts its starts in the folder that outlives deploys, and says the variable. */
const SERVER = `const fs = require('node:fs');
fs.appendFileSync(process.env.DATA_DIR + '/starts', 'x');
require('node:http').createServer((_, response) => response.end(process.env.GREETING + ' ' + require('./made.json')))
  .listen(process.env.PORT, process.env.HOST);
`;
const manifest = {
  name: 'shop',
  version: '1.0.0',
  scripts: { build: `node -e "fs.writeFileSync('made.json', '42')"`, start: 'node server.js' },
};

/** https://man7.org/linux/man-pages/man5/proc_sys_kernel.5.html: ids of processes are below 2^22. */
const NO_PROCESS = 2 ** 22 + 1;

/** As a kill between two parts leaves a restore. */
function cutOff(dataDir: string): void {
  const read = join(dataDir, 'restore-read');
  mkdirSync(read);
  writeFileSync(join(read, 'deployment-webhooks-backup.json'), JSON.stringify({ format: 1, created_at: 'before' }));
  for (const part of ['service.db', 'platform']) renameSync(join(dataDir, part), join(read, part));
}

describe('a backup of the service', () => {
  let started: Started;
  let tree: GitFolder;
  const folder = join(testFolder, `backup-files-${process.pid}`);
  const restored = join(folder, 'restored');
  const file = join(folder, 'hooks:1.tgz');
  const dataOf = (dataDir: string) => join(dataDir, 'platform/apps/demo/shop/data');

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    started = await startEngineForTest('backup');
    const { login, repoHost } = started.service;
    tree = gitFolder(repoHost.cloneUrl('demo', 'shop').replace('//', `//demo:${login.password}@`));
    tree.commit({ 'package.json': JSON.stringify(manifest), 'server.js': SERVER });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ GREETING: 'hello' });
    await started.call('/1/apps/demo/shop/env', { method: 'PATCH', headers, body });
    expect(await tree.pushAndWatch()).toContain('live after');
  });
  afterAll(async () => {
    await started?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (command: string, dataDir: string) => cli(command, { env: { DATA_DIR: dataDir } });

  it('is written while everything runs, for its owner only, without releases', async () => {
    // Not checkpointed: what was committed last is beside the file.
    const database = new Database(join(dataOf(started.dataDir), 'orders.db'));
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE orders (id INTEGER); INSERT INTO orders VALUES (7)');
    try {
      const { code, out, err } = await run(`backup ${file}`, started.dataDir);
      expect([code, out, err]).toEqual([
        0,
        expect.stringMatching(/hooks:1\.tgz has \d+ files of .+, [1-9]\d* kB\.\n$/),
        'It holds passwords, keys and variables: keep it where only you can read it.\n',
      ]);
    } finally {
      database.close();
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' });
    expect(names.split('\n')[0]).toBe('deployment-webhooks-backup.json');
    expect(names).toMatch(/^service\.db$/m);
    expect(names).toMatch(/snapshots\/.*\.tgz$/m);
    expect(names).not.toMatch(/releases|build-caches|user-caches|-wal$|running\.json/m);
    expect(readdirSync(started.dataDir).filter((name) => name.startsWith('backup-'))).toEqual([]);
    expect(readdirSync(folder)).toEqual(['hooks:1.tgz']);
    const again = await run(`backup ${file}`, started.dataDir);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('exists already')]);
  });

  it('removes what a killed one has left, and nothing of one that runs', async () => {
    const other = join(folder, 'again.tgz');
    for (const pid of [NO_PROCESS, process.pid]) {
      mkdirSync(join(started.dataDir, `backup-${pid}-Ab3dEf`));
      writeFileSync(join(started.dataDir, `backup-${pid}-Ab3dEf`, 'service.db'), 'half');
      writeFileSync(`${file}.${pid}.part`, 'half');
    }
    writeFileSync(`${other}.${NO_PROCESS}.part`, 'half');

    expect((await run(`backup ${other}`, started.dataDir)).code).toBe(0);

    const left = readdirSync(started.dataDir).filter((name) => name.startsWith('backup-'));
    expect(left).toEqual([`backup-${process.pid}-Ab3dEf`]);
    const parts = [`hooks:1.tgz.${NO_PROCESS}.part`, `hooks:1.tgz.${process.pid}.part`];
    expect(readdirSync(folder).sort()).toEqual(['again.tgz', 'hooks:1.tgz', ...parts].sort());
    rmSync(join(started.dataDir, `backup-${process.pid}-Ab3dEf`), { recursive: true });
    for (const name of [...parts, 'again.tgz']) rmSync(join(folder, name));
  });

  it('brings everything back into an empty folder: log, variables, data, repositories, and the application live', async () => {
    const { code, out } = await run(`restore ${file}`, restored);
    expect([code, out]).toEqual([0, expect.stringContaining('The next start builds the applications')]);
    const orders = new Database(join(dataOf(restored), 'orders.db'));
    expect(orders.prepare('SELECT id FROM orders').all()).toEqual([{ id: 7 }]);
    orders.close();
    await started.service.close();
    cutOff(restored);

    const service = await startLocal({ project, dataDir: restored, page: testPage, port: 0 });
    try {
      const { call } = clientOf(service);
      const page = async () => {
        const { body } = await call('/1/apps/demo/shop');
        return (
          body.url &&
          (await fetch(body.url).then(
            (answer) => answer.text(),
            () => 'nothing',
          ))
        );
      };
      await expect.poll(page).toBe('hello 42');
      expect((await call('/1/apps/demo/shop')).body).toMatchObject({ state: 'running' });
      expect((await call('/1/status/demo/webhooks')).body.rows.at(0)).toMatchObject({ status: 'ok', app_name: 'shop' });
      // The password, the repository and its hook are those of before.
      const remote = service.repoHost.cloneUrl('demo', 'shop').replace('//', `//demo:${service.login.password}@`);
      tree.git('remote', 'set-url', 'origin', remote);
      tree.commit({ 'more.txt': 'more' });
      expect(await tree.pushAndWatch()).toContain('live after');
      const running = await run(`restore ${file}`, restored);
      expect([running.code, running.err]).toEqual([1, expect.stringContaining('has data already')]);
    } finally {
      await service.close();
    }
  });

  it('is refused where there is no service', async () => {
    const { code, err } = await run(`backup ${join(folder, 'other.tgz')}`, join(folder, 'nothing'));
    expect([code, err]).toEqual([1, expect.stringContaining('There is nothing to back up')]);
  });
});

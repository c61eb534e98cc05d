import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesIn, randomFolder, writeNode } from '../support/backup/random-files.ts';
import { project } from '../support/service/place.ts';
import { budget } from './budget.ts';
import { randomOf } from './world/random.ts';

const APP = 'platform/apps/demo/shop/data';
const STILL = `${APP}/still`;
/** An application that writes all the time, and has locked a database. */
const BUSY = `
const fs = require('node:fs');
const Database = require(${JSON.stringify(join(project, 'node_modules/libsql'))});
const locked = new Database('locked.db');
locked.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY); BEGIN EXCLUSIVE');
const orders = new Database('orders.db', { timeout: 10000 });
orders.exec('PRAGMA journal_mode = WAL; CREATE TABLE orders (id INTEGER PRIMARY KEY)');
const insert = orders.prepare('INSERT INTO orders (id) VALUES (?)');
let n = 0;
setInterval(() => {
  n += 1;
  insert.run(n);
  fs.appendFileSync('log', 'a line of the log\\n'.repeat(500));
  if (n % 50 === 0) fs.truncateSync('log', 0);
  fs.writeFileSync('state.json.tmp', String(n));
  fs.renameSync('state.json.tmp', 'state.json');
  fs.mkdirSync('folder-' + n);
  fs.writeFileSync('folder-' + n + '/file', 'x'.repeat(5000));
  fs.rmSync('folder-' + (n - 20), { recursive: true, force: true });
  fs.writeFileSync('gone-' + n + '.db', 'SQLite format 3\\0');
  fs.rmSync('gone-' + (n - 20) + '.db', { force: true });
  if (n === 1) console.log('writing');
}, 2);
`;
/** Files of an application: enough that a kill comes in their middle. */
const FOLDERS = 4;
/** Root reads everything: what cannot be read is tried as nobody. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

// Names may have any bytes on Linux only.
describe.skipIf(process.platform !== 'linux')(
  `hooks backup and restore, SEED=${budget.seed} KILLS=${budget.kills} DATABASES=${budget.databases}`,
  () => {
    const random = randomOf(budget.seed);
    const figures = { backups: 0, restores: 0, kills: 0, inTheMiddle: 0, filesCompared: 0, databases: 0, unread: 0 };
    let place: string;
    let dataDir: string;
    let made = 0;

    beforeAll(() => {
      place = mkdtempSync(join(tmpdir(), 'backup-'));
      // For nobody, too.
      for (const folder of [tmpdir(), place]) chmodSync(folder, 0o755);
      dataDir = join(place, 'data');
      mkdirSync(join(dataDir, STILL), { recursive: true });
      database(join(dataDir, 'service.db')).close();
      const folders = fc.sample(randomFolder, { seed: budget.seed, numRuns: FOLDERS });
      for (const [at, folder] of folders.entries()) writeNode(Buffer.from(join(dataDir, STILL, `${at}`)), folder);
      // What takes tar a while.
      for (let at = 0; at < 8; at += 1) {
        const content = Buffer.from(Array.from({ length: 1_000_000 }, () => random.below(256)));
        writeFileSync(join(dataDir, STILL, `large-${at}`), content);
      }
    });
    afterAll(() => {
      rmSync(place, { recursive: true, force: true });
      console.log(`backup, SEED=${budget.seed}: ${JSON.stringify(figures)}`);
    });

    function database(path: string) {
      const opened = new Database(path);
      opened.exec('PRAGMA journal_mode = WAL; CREATE TABLE orders (id INTEGER PRIMARY KEY)');
      return opened;
    }

    /** Runs the command, and kills it after a time. Returns its exit code, which is null then, and what it has said. */
    async function hooks(args: readonly string[], folder: string, { killMs = 0, as = {} } = {}) {
      const env = { ...process.env, DATA_DIR: folder, TMPDIR: place };
      const child = spawn(process.execPath, ['bin/hooks.mjs', ...args], {
        ...{ env, cwd: project, ...as, detached: true },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const ended = once(child, 'close');
      const said = text(child.stderr);
      if (killMs > 0) {
        await Promise.race([setTimeout(killMs), ended]);
        // The programs that it has started too.
        if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGKILL');
      }
      const [code] = await ended;
      return { code: code as number | null, said: await said };
    }

    async function backedUp(as = {}, folder = dataDir) {
      made += 1;
      const file = join(place, `${made}.tgz`);
      figures.backups += 1;
      return { file, ...(await hooks(['backup', file], folder, { as })) };
    }

    async function restored(file: string) {
      figures.restores += 1;
      const folder = join(place, `restored-${figures.restores}`);
      expect(await hooks(['restore', file], folder)).toMatchObject({ code: 0 });
      return folder;
    }

    /** Of the files that nobody writes to. */
    function expectSame(folder: string): void {
      const before = filesIn(join(dataDir, STILL));
      expect(filesIn(join(folder, STILL))).toEqual(before);
      figures.filesCompared += Object.keys(before).length;
    }

    async function timed(work: () => Promise<unknown>): Promise<number> {
      const begun = performance.now();
      await work();
      return performance.now() - begun;
    }

    it('has all that stays as it is, and a whole database, while an application writes', async () => {
      const busy = join(dataDir, APP, 'busy');
      mkdirSync(busy);
      const writer = spawn(process.execPath, ['-e', BUSY], { cwd: busy, stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = once(writer, 'exit');
      try {
        await once(writer.stdout, 'data');
        for (let round = 0; round < 2; round += 1) {
          const { file, code, said } = await backedUp();
          expect(code === 0 || (code === 3 && said.includes('cannot be read to its end')), said).toBe(true);
          expect(said).toContain('locked.db: database is locked');
          const folder = await restored(file);
          expectSame(folder);
          const copy = new Database(join(folder, APP, 'busy/orders.db'));
          const { n, most } = copy.prepare('SELECT count(*) AS n, max(id) AS most FROM orders').get() as Row;
          copy.close();
          expect([n, n > 0]).toEqual([most, true]);
        }
        expect(writer.exitCode).toBeNull();
        // What the application has removed is not made again by who wanted to read it.
        expect(readdirSync(busy).filter((name) => /^gone.*db$/.test(name)).length).toBeLessThanOrEqual(21);
      } finally {
        writer.kill('SIGKILL');
        // It may write into the folder until it has ended.
        await ended;
        rmSync(busy, { recursive: true, force: true });
      }
    });

    it('leaves a whole file or none when it is killed, and a killed restore is gone on with', async () => {
      let whole = '';
      const backupMs = await timed(async () => {
        whole = (await backedUp()).file;
      });
      const restoreMs = await timed(() => restored(whole));
      for (let kill = 0; kill < budget.kills; kill += 1) {
        const file = join(place, `killed-${kill}.tgz`);
        const killed = await hooks(['backup', file], dataDir, { killMs: random.next() * backupMs });
        if (existsSync(file)) expectSame(await restored(file));
        const again = join(place, `again-${kill}`);
        const cut = await hooks(['restore', whole], again, { killMs: random.next() * restoreMs });
        figures.kills += [killed, cut].filter(({ code }) => code === null).length;
        const left = (folder: string) =>
          readdirSync(folder).filter((name) => /^(?:backup|restore)-|\.part$/.test(name));
        figures.inTheMiddle += left(dataDir).length + (existsSync(again) ? left(again).length : 0);
        if (cut.code === null) await hooks(['restore', whole], again);
        expectSame(again);
        rmSync(file, { force: true });
        expect((await hooks(['backup', file], dataDir)).code).toBe(0);
        expect([left(dataDir), left(place), left(again)]).toEqual([[], [], []]);
      }
    });

    it('has thousands of databases', async () => {
      const tenants = join(dataDir, APP, 'tenants');
      mkdirSync(tenants);
      database(join(tenants, '0.db')).close();
      for (let at = 1; at < budget.databases; at += 1) copyFileSync(join(tenants, '0.db'), join(tenants, `${at}.db`));
      const { file, code, said } = await backedUp();
      expect([code, said]).toEqual([0, expect.not.stringContaining('copied as they are')]);
      const folder = await restored(file);
      expect(readdirSync(join(folder, APP, 'tenants')).sort()).toEqual(readdirSync(tenants).sort());
      figures.databases = budget.databases;
      rmSync(tenants, { recursive: true });
    });

    it('lists what may not be read, and has the rest', async () => {
      const own = join(place, 'own');
      const paths = ['readable', 'secret', 'folder/inside'].map((name) => join(own, APP, name));
      mkdirSync(join(own, APP, 'folder'), { recursive: true });
      database(join(own, 'service.db')).close();
      for (const path of paths) writeFileSync(path, path);
      const { uid = -1, gid = -1 } = NOBODY;
      if (uid !== -1) execFileSync('chown', ['-R', `${uid}:${gid}`, place]);
      for (const name of ['secret', 'folder']) chmodSync(join(own, APP, name), 0);
      const { file, code, said } = await backedUp(NOBODY, own);
      for (const name of ['secret', 'folder']) chmodSync(join(own, APP, name), 0o700);
      expect([code, said]).toEqual([3, expect.stringMatching(/data\/folder: EACCES[\s\S]*data\/secret: EACCES/)]);
      figures.unread += said.match(/^ {2}platform/gm)?.length ?? 0;
      expect(Object.keys(filesIn(join(await restored(file), APP)))).toEqual(['readable']);
    });
  },
);

interface Row {
  readonly n: number;
  readonly most: number;
}

import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { writeBackup } from '../../../../lib/local/backup/backup.ts';
import { finishRestore } from '../../../../lib/local/backup/restore.ts';
import { filesIn, writeNode } from '../../../support/backup/random-files.ts';
import { cli } from '../../../support/cli.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { type TarballEntry, tarball } from '../../../support/service/tarballs.ts';

const DATA = 'platform/apps/demo/shop/data';
const MARK = 'deployment-webhooks-backup.json';

/** A data folder with a log, as a service leaves it. */
function dataFolder(files: Readonly<Record<string, string>> = {}): string {
  const dataDir = join(newFolder('backup'), 'data');
  mkdirSync(join(dataDir, DATA), { recursive: true });
  database(join(dataDir, 'service.db')).close();
  for (const [path, content] of Object.entries(files)) write(dataDir, path, content);
  return dataDir;
}

function write(dataDir: string, path: string, content: string): void {
  mkdirSync(dirname(join(dataDir, path)), { recursive: true });
  writeFileSync(join(dataDir, path), content);
}

function database(path: string, setup = '') {
  const opened = new Database(path);
  opened.exec(`${setup}; CREATE TABLE orders (id INTEGER); INSERT INTO orders VALUES (7)`);
  return opened;
}

function ordersIn(path: string): unknown {
  const opened = new Database(path);
  try {
    return opened.prepare('SELECT id FROM orders').all();
  } finally {
    opened.close();
  }
}

const run = (args: readonly string[], dataDir: string) => cli(args, { env: { DATA_DIR: dataDir } });

/** Backs a folder up and restores it elsewhere. */
async function roundTrip(dataDir: string) {
  const place = newFolder('restored');
  const [file, restored] = [join(place, 'hooks.tgz'), join(place, 'data')];
  // Paths may be longer than Node removes.
  onTestFinished(() => void execFileSync('rm', ['-rf', dataDir, place]));
  const backup = await run(['backup', file], dataDir);
  const restore = await run(['restore', file], restored);
  expect([backup.code, restore.code], `${backup.err}${restore.err}`).toEqual([expect.any(Number), 0]);
  return { restored, backup, restore };
}

/** Restores an archive with these entries after the mark. */
async function restoreOf(entries: readonly TarballEntry[]) {
  const place = newFolder('crafted');
  const [file, restored] = [join(place, 'hooks.tgz'), join(place, 'data')];
  const mark = { name: MARK, content: JSON.stringify({ format: 1, created_at: 'before' }) };
  const log = { name: 'service.db', content: readFileSync(join(dataFolder(), 'service.db')) };
  writeFileSync(file, await tarball([mark, log, ...entries]));
  const { code, err } = await run(['restore', file], restored);
  return { code, err, restored, file };
}

describe('a backup that is restored', () => {
  it('has users, applications and branches of any name, and not what a kill has left of a write', async () => {
    const kept = {
      'passwords/ann.lock': 'secret',
      'passwords/bob.tmp': 'secret',
      'platform/users/cleo.part.json': '{}',
      'platform/apps/ann.tmp/shop.lock/app.json': '{}',
      'platform/apps/ann.tmp/0.0123456789ab.tmp/app.json': '{}',
      'repositories/repositories/ann.lock/shop.git/refs/heads/release.tmp': '1',
      'repositories/repositories/ann.lock/shop.git/refs/heads/a.0123456789ab.part': '1',
    };
    const left = {
      'platform/apps/ann.tmp/shop.lock/app.json.0123456789ab.tmp': '{',
      'platform/apps/ann.tmp/shop.lock/snapshots/1.tgz.0123456789ab.part': '{',
      'platform/6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b.tmp/shop/app.json': '{}',
      'repositories/repositories/ann.lock/shop.git/HEAD.lock': '',
    };
    const { restored } = await roundTrip(dataFolder({ ...kept, ...left }));
    const found = filesIn(restored);
    expect(Object.keys(kept).filter((path) => !(path in found))).toEqual([]);
    expect(Object.keys(left).filter((path) => path in found)).toEqual([]);
  });

  it('has the parts to which the operator has linked from the data folder', async () => {
    const dataDir = dataFolder({ 'config.json': '{"users": []}', [`${DATA}/a`]: 'a' });
    const other = newFolder('other-disk');
    chmodSync(join(dataDir, 'config.json'), 0o600);
    database(join(dataDir, DATA, 'orders.db')).close();
    for (const part of ['service.db', 'config.json', 'platform']) {
      renameSync(join(dataDir, part), join(other, `our-${part}`));
      symlinkSync(join(other, `our-${part}`), join(dataDir, part));
    }
    const { restored, backup } = await roundTrip(dataDir);
    rmSync(other, { recursive: true });
    expect([backup.code, ordersIn(join(restored, 'service.db'))]).toEqual([0, [{ id: 7 }]]);
    expect(ordersIn(join(restored, DATA, 'orders.db'))).toEqual([{ id: 7 }]);
    expect(readFileSync(join(restored, DATA, 'a'), 'utf8')).toBe('a');
    expect(statSync(join(restored, 'config.json')).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['in a transaction', '', 'BEGIN EXCLUSIVE'],
    ['for as long as it runs', 'PRAGMA journal_mode = WAL; PRAGMA locking_mode = EXCLUSIVE', ''],
  ])(
    'has a database that its application has locked %s, with its transactions, and says so',
    async (_when, setup, lock) => {
      const dataDir = dataFolder();
      const open = database(join(dataDir, DATA, 'orders.db'), setup);
      database(join(dataDir, DATA, 'free.db')).close();
      chmodSync(join(dataDir, DATA, 'free.db'), 0o640);
      open.exec(lock);
      try {
        const { restored, backup } = await roundTrip(dataDir);
        expect([backup.code, backup.err]).toEqual([
          0,
          expect.stringContaining(`  ${DATA}/orders.db: database is locked\n`),
        ]);
        expect(backup.err).not.toContain('free.db');
        for (const name of ['orders.db', 'free.db']) expect(ordersIn(join(restored, DATA, name))).toEqual([{ id: 7 }]);
        expect(statSync(join(restored, DATA, 'free.db')).mode & 0o777).toBe(0o640);
      } finally {
        open.close();
      }
    },
  );

  it('has what only looks like a database as it is, with what lies beside it, and says so', async () => {
    const header = 'SQLite format 3\0';
    const names = ['a.db', 'a.db-wal', 'b.db-wal/file', '\xfc.db'];
    const dataDir = dataFolder();
    for (const name of names) {
      const path = Buffer.concat([Buffer.from(`${join(dataDir, DATA)}/`), Buffer.from(name, 'latin1')]);
      if (name.includes('/')) mkdirSync(join(dataDir, DATA, dirname(name)));
      writeFileSync(path, `${name.endsWith('.db') ? header : ''}no database `.repeat(50));
    }
    const before = filesIn(join(dataDir, DATA));
    const { restored, backup } = await roundTrip(dataDir);
    expect(backup.err).toContain(`${DATA}/a.db: file is not a database`);
    expect(filesIn(join(restored, DATA))).toEqual(before);
  });

  it('has all but what cannot be read: that is listed, and the exit code is 3', async () => {
    const dataDir = dataFolder({ [`${DATA}/a`]: 'a' });
    // Longer than the system takes at once, for root too.
    const deep =
      "const fs = require('node:fs'); for (let n = 0; n < 20; n += 1) { fs.mkdirSync('x'.repeat(250)); process.chdir('x'.repeat(250)); fs.writeFileSync('file', ''); }";
    execFileSync(process.execPath, ['-e', deep], { cwd: join(dataDir, DATA) });

    const { restored, backup } = await roundTrip(dataDir);

    expect([backup.code, backup.out]).toEqual([3, expect.stringContaining('hooks.tgz has')]);
    expect(backup.err).toMatch(/^These cannot be read.*:\n( {2}platform\/apps\/demo\/shop\/data\/x+\/.*\n)+$/m);
    expect(backup.err).toMatch(/: the path is too long\n/);
    expect(readFileSync(join(restored, DATA, 'a'), 'utf8')).toBe('a');
    expect(existsSync(join(restored, DATA, 'x'.repeat(250), 'x'.repeat(250), 'file'))).toBe(true);
  });

  it('has the links of an application to its own files, and follows none', async () => {
    const dataDir = dataFolder({ [`${DATA}/v2/file`]: 'a' });
    const outside = newFolder('outside');
    const links = { current: 'v2', 'v2/up': '..', broken: 'v3/none', here: '.' };
    const leaving = { absolute: outside, climbing: '../variables.json', 'v2/far': '../../../../..' };
    for (const [name, to] of Object.entries({ ...links, ...leaving })) symlinkSync(to, join(dataDir, DATA, name));
    symlinkSync(outside, join(dataDir, 'repositories'));
    symlinkSync(DATA, join(dataDir, 'platform/elsewhere'));
    const { restored, backup } = await roundTrip(dataDir);
    expect(backup.code).toBe(0);
    for (const [name, to] of Object.entries(links)) expect(readlinkSync(join(restored, DATA, name))).toBe(to);
    const left = [...Object.keys(leaving).map((name) => `${DATA}/${name}`), 'platform/elsewhere'];
    expect(backup.err.split('application:\n')[1]?.trim().split(/\n */).sort()).toEqual(left.sort());
    expect(Object.keys(filesIn(restored)).filter((path) => left.includes(path))).toEqual([]);
  });

  it.each([
    ['a database', 'kept/shop.db'],
    ['a folder of one', 'kept'],
  ])('follows no link that is put in place of %s after it was listed', async (_what, replaced) => {
    const dataDir = dataFolder({ [`${DATA}/kept/file`]: 'a' });
    const place = join(dataDir, DATA, replaced);
    const other = newFolder('other');
    for (const at of [join(dataDir, DATA, 'kept'), other]) database(join(at, 'shop.db')).close();
    const { signal } = new AbortController();
    // Asked before each database.
    signal.throwIfAborted = () => {
      rmSync(place, { recursive: true });
      symlinkSync(replaced === 'kept' ? other : join(other, 'shop.db'), place);
    };
    const file = join(newFolder('backups'), 'hooks.tgz');
    expect((await writeBackup(dataDir, file, signal)).copied).toEqual([]);
    expect(execFileSync('tar', ['-tf', file], { encoding: 'utf8' })).not.toContain('shop.db');
  });

  it('has nothing to which a running application turns its folders meanwhile', async () => {
    const dataDir = dataFolder();
    const other = newFolder('other');
    const names = Array.from({ length: 20 }, (_, at) => `kept-${at}`);
    for (const [folder, content] of [
      [other, 'of another'],
      ...names.map((name) => [join(dataDir, DATA, name), 'own'] as const),
    ] as const) {
      write(folder, 'file', content);
      symlinkSync(content, join(folder, 'link'));
    }
    const turn = `const { renameSync, symlinkSync } = require('node:fs');
      for (const name of ${JSON.stringify(names)}) symlinkSync(${JSON.stringify(other)}, name + '.link');
      for (;;) {
        for (const name of ${JSON.stringify(names)}) { renameSync(name, name + '.folder'); renameSync(name + '.link', name); }
        for (const name of ${JSON.stringify(names)}) { renameSync(name, name + '.link'); renameSync(name + '.folder', name); }
      }`;
    const application = spawn(process.execPath, ['-e', turn], { cwd: join(dataDir, DATA) });
    try {
      const place = newFolder('backups');
      let own = 0;
      for (let round = 0; round < 5; round += 1) {
        const file = join(place, `${round}.tgz`);
        await writeBackup(dataDir, file, new AbortController().signal);
        const [content, list] = ['-xOf', '-tvf'].map((flag) =>
          execFileSync('tar', [flag, file], { encoding: 'latin1' }),
        );
        expect(`${content}${list}`).not.toContain('of another');
        own += content?.split('own').length ?? 0;
      }
      expect(own).toBeGreaterThan(5);
      expect(application.exitCode).toBeNull();
    } finally {
      application.kill('SIGKILL');
      await once(application, 'exit');
    }
  });

  it('has no pipes and sockets, and waits for none', async () => {
    const dataDir = dataFolder({ [`${DATA}/a`]: 'a' });
    execFileSync('mkfifo', [join(dataDir, DATA, 'pipe'), join(dataDir, 'config.json')]);
    symlinkSync('pipe', join(dataDir, DATA, 'link'));
    const { restored, backup } = await roundTrip(dataDir);
    expect([backup.code, readdirSync(restored).includes('config.json')]).toEqual([0, false]);
    expect(readdirSync(join(restored, DATA))).toEqual(['a', 'link']);
  });
});

describe('a file that is restored', () => {
  it('brings neither set-uid programs nor foreign owners nor links that lead elsewhere', async () => {
    const { code, err, restored } = await restoreOf([
      { name: `${DATA}/tool`, mode: 0o6755, uid: 1234, gid: 1234, content: '#!/bin/sh' },
      { name: `${DATA}/folder`, type: 'directory', mode: 0o3700, uid: 1234 },
      { name: `${DATA}/own`, type: 'symlink', linkname: 'tool' },
      { name: `${DATA}/passwd`, type: 'symlink', linkname: '/etc/passwd' },
      { name: 'passwords', type: 'symlink', linkname: '/tmp' },
    ]);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(
        /left out.*:\n {2}passwords\n {2}.*\/passwd\n|left out.*:\n {2}.*\/passwd\n {2}passwords\n/,
      ),
    ]);
    const found = filesIn(restored);
    expect(found[`${DATA}/tool`]).toMatch(/^file 755 /);
    expect(found).toMatchObject({ [`${DATA}/folder`]: 'folder 700', [`${DATA}/own`]: 'link to tool' });
    expect(statSync(join(restored, DATA, 'tool')).uid).toBe(process.getuid?.());
    expect(Object.keys(found).filter((path) => /^passwords|passwd$/.test(path))).toEqual([]);
  });

  it.each([
    ['a pipe', { name: 'config.json', type: 'fifo' }],
    ['a device', { name: `${DATA}/null`, type: 'character-device' }],
  ] as const)('with %s is refused, and nothing is written', async (_what, entry) => {
    const { code, err, restored } = await restoreOf([entry]);
    expect([code, err]).toEqual([1, expect.stringContaining('is not a backup of this service')]);
    expect(readdirSync(restored)).toEqual([]);
  });

  it.each<[what: string, content: () => Promise<Buffer> | string, sentence: string]>([
    ['text', () => 'no archive', 'is damaged, or not a backup'],
    ['another archive', () => tarball([{ name: 'package.json', content: '{}' }]), 'is not a backup of this service'],
    ['of another kind', () => tarball([{ name: MARK, content: 'no JSON' }]), 'is not a backup of this service'],
  ])('that is %s is refused, and nothing is written', async (_what, content, sentence) => {
    const place = newFolder('no-backup');
    const [file, restored] = [join(place, 'hooks.tgz'), join(place, 'data')];
    const missing = await run(['restore', file], restored);
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('There is no file')]);
    writeFileSync(file, await content());
    const { code, err } = await run(['restore', file], restored);
    expect([code, err]).toEqual([1, expect.stringContaining(sentence)]);
    expect(existsSync(restored) ? readdirSync(restored) : []).toEqual([]);
  });

  it('that is larger than the free disk is refused before it is written', async () => {
    const spy = vi.spyOn(fs.promises, 'statfs').mockResolvedValue({ bavail: 40, bsize: 1000 } as fs.StatsFs);
    syncBuiltinESMExports();
    const restore = () => {
      spy.mockRestore();
      syncBuiltinESMExports();
    };
    onTestFinished(restore);
    const { code, err, restored, file } = await restoreOf([{ name: `${DATA}/zeros`, content: '0'.repeat(100_000) }]);
    const sentence = `${file} has more than the 0 MB that are free on the disk. Nothing was changed.`;
    expect([code, err, readdirSync(restored)]).toEqual([1, expect.stringContaining(sentence), []]);
  });

  it('that is damaged is named, with the last file that could be read', async () => {
    const place = newFolder('cut');
    const file = join(place, 'hooks.tgz');
    const dataDir = dataFolder({ [`${DATA}/first`]: 'a' });
    writeNode(Buffer.from(join(dataDir, DATA, 'later')), { kind: 'file', mode: 0o600, content: randomBytes(300_000) });
    await run(['backup', file], dataDir);
    writeFileSync(file, readFileSync(file).subarray(0, -100_000));
    const { code, err } = await run(['restore', file], join(place, 'data'));
    expect([code, err]).toEqual([1, expect.stringMatching(/hooks\.tgz is damaged, .* after ".*data\/later"/)]);
  });
});

describe('a restore that was killed', () => {
  it('between two parts goes on when it is asked for again', async () => {
    const { file, restored } = await restoreOf([]);
    write(restored, `restore-read/${MARK}`, JSON.stringify({ format: 1, created_at: 'before' }));
    renameSync(join(restored, 'service.db'), join(restored, 'restore-read/service.db'));
    const { code, out } = await run(['restore', file], restored);
    expect([code, out]).toEqual([0, expect.stringContaining('has the backup of before')]);
    expect(ordersIn(join(restored, 'service.db'))).toEqual([{ id: 7 }]);
    expect(readdirSync(restored).filter((name) => name.startsWith('restore'))).toEqual([]);
  });

  it('while the last of it was removed is done', async () => {
    const dataDir = dataFolder();
    mkdirSync(join(dataDir, 'restore-read'));
    expect(await finishRestore(dataDir)).toBeNull();
    expect(readdirSync(dataDir).filter((name) => name.startsWith('restore'))).toEqual([]);
    const { file } = await restoreOf([]);
    mkdirSync(join(dataDir, 'restore-read'));
    const { code, err } = await run(['restore', file], dataDir);
    expect([code, err]).toEqual([1, expect.stringContaining('has data already')]);
  });

  it('and has lost its mark is refused with a sentence', async () => {
    const dataDir = join(newFolder('killed'), 'data');
    write(dataDir, 'restore-read/service.db', 'log');
    await expect(finishRestore(dataDir)).rejects.toThrow(
      `${join(dataDir, 'restore-read', MARK)} of a restore that was killed is missing or damaged: remove what is in ${dataDir}, and restore again.`,
    );
    expect(existsSync(join(dataDir, 'restore-read/service.db'))).toBe(true);
    rmSync(dataDir, { recursive: true });
  });
});

import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Connection } from '../../../../../../functions/adapters/stores/sqlite/connection.ts';
import { openStores } from '../../../../../../functions/adapters/stores/sqlite/open.ts';
import { MIGRATIONS } from '../../../../../../functions/adapters/stores/sqlite/schema.ts';
import { StoreError } from '../../../../../../functions/adapters/stores/sqlite/store-error.ts';
import { systemIds } from '../../../../../../functions/adapters/system/ids.ts';
import { memoryClock } from '../../../../../fakes/clock.ts';
import { AT, append, draft, MINUTE } from '../../../../../support/entries.ts';
import { newFolder } from '../../../../../support/new-folder.ts';

const DAY = 24 * 60 * MINUTE;
const newFile = () => join(newFolder('stores'), 'service.db');

function open(path: string, clock = memoryClock()) {
  const stores = openStores({ path, clock, ids: systemIds });
  onTestFinished(() => stores.close());
  return stores;
}

/** What a start with that file says. */
function refusal(path: string): string {
  try {
    open(path);
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
  return 'It was opened.';
}

/** A file as the service with that version of the schema left it. */
function fileOf(version: number, ...statements: readonly string[]): string {
  const path = newFile();
  const database = new Database(path);
  database.exec(`${MIGRATIONS.slice(0, version).join('')} PRAGMA user_version = ${version}`);
  for (const statement of statements) database.exec(statement);
  database.close();
  return path;
}

describe('the file of the stores', () => {
  it('has what was acknowledged when it is opened again, whole in one file of its owner', async () => {
    const path = newFile();
    const first = open(path);
    const entry = await append(first.log);
    await first.tokens.put('ann', { host: 'h', app: '*', login: 'a', scopes: [], expiresAt: null, sealed: 'v1.x' });
    await first.close();
    await first.close();
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const again = open(path);
    expect(await again.log.read('ann', 1)).toEqual(entry);
    expect(await again.tokens.list('ann')).toHaveLength(1);
    expect((await append(again.log)).number).toBe(2);
  });

  it('says that nothing is due once it is closed: what is under way may still ask', async () => {
    const stores = open(newFile());
    await append(stores.log);
    expect(stores.nextDue()).not.toBeNull();
    await stores.close();
    expect([stores.nextDue(), stores.nextCompare()]).toEqual([null, null]);
  });

  it('of version 1 is opened', async () => {
    const doc = JSON.stringify({ ...draft(), number: 1, id: '0', seq: 1 });
    const path = fileOf(
      1,
      "INSERT INTO users (name, entries, changes) VALUES ('ann', 1, 1)",
      `INSERT INTO entries (user, number, seq, status, stage, doc) VALUES ('ann', 1, 1, 'ok', 'start', '${doc}')`,
    );
    const stores = open(path);
    expect(await stores.reader.read('ann', 1)).toMatchObject({ user: 'ann', number: 1, branch: 'master' });
    expect((await append(stores.log)).number).toBe(2);
  });

  it('of version 2 is opened, with its users', async () => {
    const { users, tables } = open(fileOf(2, "INSERT INTO accounts (user, doc) VALUES ('ann', '{}')"));
    expect(await users.read('ann')).toBe('{}');
    await tables.write(() => tables.run("INSERT INTO applications (user, app, doc) VALUES ('ann', 'shop', '{}')"));
    expect(tables.all('SELECT app, variables, folder FROM applications')).toMatchObject([
      { app: 'shop', variables: '{}', folder: null },
    ]);
  });

  it('of version 3 is opened, and has settings then', async () => {
    const path = fileOf(3);
    const shop = { user: 'ann', app: 'shop' };
    const stores = open(path);
    await stores.appSettings.change(shop, { build: 'make' });
    await stores.close();
    expect(await open(path).appSettings.read(shop)).toEqual({ build: 'make' });
  });

  it('of version 5 is opened, and none of its domains redirects', async () => {
    const path = fileOf(
      5,
      "INSERT INTO applications (user, app, doc) VALUES ('ann', 'shop', '{}')",
      "INSERT INTO domains (name, user, app) VALUES ('shop.example.com', 'ann', 'shop')",
    );
    const { tables } = open(path);
    expect(tables.all('SELECT name, redirect FROM domains')).toEqual([{ name: 'shop.example.com', redirect: null }]);
  });

  it('of a newer version is refused and left as it is', () => {
    const path = newFile();
    const database = new Database(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(refusal(path)).toBe(
      `${path} was written by a newer version of the service (schema 99, this one knows up to ${MIGRATIONS.length}): ` +
        'start that version, or move the file away to begin without log, applications and users.',
    );
    expect(new Database(path).pragma('user_version')).toEqual([{ user_version: 99 }]);
  });

  it('that is damaged, or something else, is refused and left as it is', async () => {
    const [other, cut] = [newFile(), newFile()];
    writeFileSync(other, 'hello '.repeat(1000));
    const stores = open(cut);
    for (let number = 1; number <= 50; number += 1) await append(stores.log);
    await stores.close();
    truncateSync(cut, 10_000);
    for (const path of [other, cut]) {
      expect(refusal(path)).toBe(
        `${path} is damaged: put a backup in its place, or move it away to begin without log, applications and users.`,
      );
    }
    expect(readFileSync(other, 'utf8')).toBe('hello '.repeat(1000));
  });

  it('that another process writes to is refused', async () => {
    const path = newFile();
    await open(path).close();
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    expect(refusal(path)).toBe(`Another process is using ${path}: end it, or wait until it is done.`);
    other.exec('ROLLBACK');
    expect(refusal(path)).toBe('It was opened.');
  });

  it('in a folder that does not exist is refused', () => {
    const path = join(newFile(), 'none', 'service.db');
    expect(refusal(path)).toBe(
      `${path} cannot be opened for writing: check that its folder exists and who may write there.`,
    );
  });

  it.each([
    ['is there', true],
    ['is not there yet', false],
  ])('may be a link to a file that %s: deliveries are stored beside that file', async (_what, isThere) => {
    const [file, link] = [newFile(), newFile()];
    if (isThere) await open(file).close();
    symlinkSync(file, link);
    const stores = open(link);
    const entry = await append(stores.log);
    expect([existsSync(`${file}-wal`), existsSync(`${link}-wal`)]).toEqual([true, false]);
    await stores.close();
    expect(await open(file).log.read('ann', 1)).toEqual(entry);
  });

  it.each([
    ['removed', '', rmSync],
    ['moved away', '', (path: string) => renameSync(path, `${path}.old`)],
    ['removed, but for the file itself,', '-wal', rmSync],
    [
      'replaced',
      '',
      (path: string) => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
  ])('that is %s while it is open takes nothing any more, and says so', async (_what, end, remove) => {
    const path = newFile();
    const stores = open(path);
    await append(stores.log);
    remove(path + end);
    await expect(append(stores.log)).rejects.toThrow(
      `${path}${end} was removed or replaced while the service runs, so nothing is stored: put it back, or start the service again.`,
    );
    expect(await stores.log.read('ann', 2)).toBeNull();
  });

  it('that is put back takes deliveries again', async () => {
    const path = newFile();
    const stores = open(path);
    renameSync(path, `${path}.away`);
    await expect(append(stores.log)).rejects.toThrow('was removed or replaced');
    renameSync(`${path}.away`, path);
    expect((await append(stores.log)).number).toBe(1);
  });
});

describe('what has expired', () => {
  it('is removed while entries are appended, and what has not is kept', async () => {
    const [path, clock] = [newFile(), memoryClock()];
    const stores = open(path, clock);
    const fill = (first: number, checks = false) =>
      Promise.all(
        Array.from({ length: 64 }, (_, place) => {
          const check = { provider: 'travis', check: 'unit', outcome: 'passed', state: 'Passed' } as const;
          const sha = systemIds.hex(40);
          return append(stores.log, { sha }, { deliveryKey: `d${first + place}`, checkResult: checks ? check : null });
        }),
      );
    const tables = new Connection(path);
    const left = () =>
      ['entries', 'changes', 'payloads', 'deliveries', 'commits'].map(
        (table) => tables.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n,
      );
    await fill(0, true);
    expect(left()).toEqual([64, 64, 64, 64, 64]);
    clock.pass(8 * DAY);
    await fill(64);
    expect(left()).toEqual([128, 128, 128, 64, 64]);
    clock.pass(23 * DAY);
    await fill(128);
    expect(left()).toEqual([192, 192, 128, 64, 0]);
    clock.pass(60 * DAY);
    await fill(192);
    expect(left()).toEqual([256, 192, 64, 64, 0]);
    expect((await stores.reader.changes('ann', 0, 1))[0]?.seq).toBe(65);
    expect((await stores.reader.page({ user: 'ann', app: null, skip: 255, limit: 1 })).entries).toHaveLength(1);
  });
});

describe('what a start goes on with', () => {
  it('is every unfinished entry that is not held, of all users, oldest first', async () => {
    const stores = open(':memory:');
    expect(stores.unfinished()).toEqual([]);
    await append(stores.log, { user: 'bob' });
    for (const status of ['queued', 'queued', 'skipped', 'queued', 'queued'] as const) {
      await append(stores.log, { user: 'ann', status, appName: 'shop' });
    }
    await append(stores.log, { user: 'bob' });
    await stores.log.move('ann', 2, () => ({ changes: { status: 'running' } }));
    await stores.log.move('ann', 4, () => ({ changes: { status: 'held' } }));
    await stores.log.move('ann', 5, () => ({ changes: { status: 'ok' } }));
    const left = stores.unfinished().map(({ user, number }) => `${user} ${number}`);
    expect(left).toEqual(['bob 1', 'ann 1', 'ann 2', 'bob 2']);
  });

  it('begins with what is due first, for the sweep and for the comparison with branches', async () => {
    const stores = open(':memory:');
    expect([stores.nextDue(), stores.nextCompare()]).toEqual([null, null]);
    await append(stores.log, {}, { dueAt: AT + 20 });
    await append(stores.log, {}, { dueAt: AT + 10 });
    expect(stores.nextDue()).toBe(AT + 10);
    await stores.backlog.postpone({ user: 'ann', number: 2 }, AT + 30, false);
    expect(stores.nextDue()).toBe(AT + 20);
    await stores.facts.ownApp('ann', 'shop', { host: 'h', owner: 'ann', name: 'shop', branch: 'main' });
    await stores.trackedApps.compared({ user: 'ann', app: 'shop' }, { dueAt: AT + 5 });
    expect(stores.nextCompare()).toBe(AT + 5);
  });
});

describe('the listeners', () => {
  it('get each change of an append or a transition, of all users, in order', async () => {
    const stores = open(':memory:');
    const heard: string[] = [];
    stores.onCommit((changes) => {
      heard.push(...changes.map(({ user, number, seq, status }) => `${user} ${number} ${seq} ${status}`));
    });
    await Promise.all([
      append(stores.log),
      append(stores.log, { user: 'bob' }),
      stores.log.move('ann', 1, () => ({ changes: { status: 'running' } })),
      stores.log.move('ann', 1, () => null),
      stores.backlog.postpone({ user: 'ann', number: 1 }, AT, false),
    ]);
    await stores.close();
    expect(heard).toEqual(['ann 1 1 queued', 'bob 1 1 queued', 'ann 1 2 running']);
  });
});

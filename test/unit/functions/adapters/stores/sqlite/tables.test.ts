import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStores } from '../../../../../../functions/adapters/stores/sqlite/open.ts';
import { MIGRATIONS } from '../../../../../../functions/adapters/stores/sqlite/schema.ts';
import { openTables, type Tables } from '../../../../../../functions/adapters/stores/sqlite/tables.ts';
import { systemIds } from '../../../../../../functions/adapters/system/ids.ts';
import { memoryClock } from '../../../../../fakes/clock.ts';
import { append } from '../../../../../support/entries.ts';
import { newFolder } from '../../../../../support/new-folder.ts';

const newFile = () => join(newFolder('tables'), 'service.db');

function open(path: string) {
  const stores = openStores({ path, clock: memoryClock(), ids: systemIds });
  onTestFinished(() => stores.close());
  return stores;
}

const add = ({ run }: Tables, app: string) =>
  run("INSERT INTO applications (user, app, doc) VALUES ('ann', ?, '{}')", app);
const apps = ({ all }: Tables) => all<{ app: string }>('SELECT app FROM applications').map(({ app }) => app);

describe('the tables of the platform', () => {
  it('have all of a write or nothing, and what fails is no other’s', async () => {
    const { tables } = open(':memory:');
    const failing = tables.write(() => {
      add(tables, 'half');
      throw new Error('It is refused.');
    });
    const others = [tables.write(() => add(tables, 'one')), tables.note(() => add(tables, 'two'))];
    await expect(failing).rejects.toThrow('It is refused.');
    expect(await Promise.all(others)).toEqual([1, 1]);
    expect(apps(tables)).toEqual(['one', 'two']);
  });

  it('keep what belongs to an application with it', async () => {
    const { tables } = open(':memory:');
    const { run, write } = tables;
    const children = ['domains (name, user, app)', 'snapshots (id, user, app, doc)', 'states (doc, user, app)'];
    const insert = (into: string) => {
      const values = into.includes(', doc)') ? "'1', 'ann', 'shop', ''" : "'1', 'ann', 'shop'";
      return run(`INSERT INTO ${into} VALUES (${values})`);
    };
    for (const into of children) await expect(write(() => insert(into))).rejects.toThrow(/FOREIGN KEY/);
    await write(() => [add(tables, 'shop'), ...children.map(insert)]);
    const rows = () =>
      ['domains', 'snapshots', 'states'].flatMap((table) => tables.all<{ app: string }>(`SELECT app FROM ${table}`));
    await write(() => run("UPDATE applications SET app = 'store'"));
    expect(rows().map(({ app }) => app)).toEqual(['store', 'store', 'store']);
    await write(() => run('DELETE FROM applications'));
    expect(rows()).toEqual([]);
  });

  it('take writes after the end of the log, until they are closed', async () => {
    const stores = open(':memory:');
    await stores.endLog();
    await expect(append(stores.log)).rejects.toThrow('The database is closed.');
    await stores.tables.write(() => add(stores.tables, 'shop'));
    expect(apps(stores.tables)).toEqual(['shop']);
    await stores.close();
    await expect(stores.tables.write(() => 1)).rejects.toThrow('The database is closed.');
  });

  it('are read and written beside the service', async () => {
    const path = newFile();
    const { tables } = open(path);
    await tables.write(() => add(tables, 'shop'));
    const beside = openTables(path);
    expect(apps(beside)).toEqual(['shop']);
    await beside.write(() => add(beside, 'store'));
    await beside.close();
    expect(apps(tables)).toEqual(['shop', 'store']);
  });

  it('are not opened beside a service of an earlier version, which is left as it is', () => {
    const path = newFile();
    const database = new Database(path);
    database.exec(`${MIGRATIONS[0]} PRAGMA user_version = 1`);
    expect(() => openTables(path)).toThrow(
      `${path} was written by an earlier version of the service: start this version first.`,
    );
    expect(database.pragma('user_version')).toEqual([{ user_version: 1 }]);
    database.close();
  });
});

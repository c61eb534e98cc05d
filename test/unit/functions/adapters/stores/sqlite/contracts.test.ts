import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { openStores, type SqliteStores } from '../../../../../../functions/adapters/stores/sqlite/open.ts';
import { systemClock } from '../../../../../../functions/adapters/system/clock.ts';
import { systemIds } from '../../../../../../functions/adapters/system/ids.ts';
import type { Clock } from '../../../../../../functions/core/ports/system.ts';
import { appSettingsContract } from '../../../../../contracts/app-settings.ts';
import { deployLogContract } from '../../../../../contracts/deploy-log.ts';
import { lastingIncidentContract } from '../../../../../contracts/lasting-incident.ts';
import { tokenStoreContract } from '../../../../../contracts/token-store.ts';
import { userStoreContract } from '../../../../../contracts/user-store.ts';
import { append } from '../../../../../support/entries.ts';
import { newFolder } from '../../../../../support/new-folder.ts';

const inFile = () => join(newFolder('stores'), 'service.db');

describe.each([
  ['in memory', () => ':memory:'],
  ['in a file', inFile],
])('the stores in SQLite, %s', (_, place) => {
  const opened: SqliteStores[] = [];
  afterAll(() => Promise.all(opened.map((stores) => stores.close())));

  const open = (path: string, clock: Clock = systemClock) => {
    const stores = openStores({ path, clock, ids: systemIds });
    opened.push(stores);
    return stores;
  };

  deployLogContract(async () => {
    const path = place();
    const stores = open(path);
    // A database in memory has one connection only.
    const other = path === ':memory:' ? stores : open(path);
    return { ...stores, other: other.log, user: 'ann' };
  });

  lastingIncidentContract(async (clock) => {
    const stores = open(place(), clock);
    // What has expired is removed while entries are appended.
    const forget = async () => {
      for (let times = 0; times < 32; times += 1) await append(stores.log, { user: 'other' });
    };
    return { ...stores, forget };
  });

  appSettingsContract(async () => open(place()).appSettings);

  tokenStoreContract('The store of tokens', async () => open(place()).tokens);

  userStoreContract('SQLite', async () => {
    const path = place();
    const stores = open(path);
    const down = async (): Promise<never> => {
      throw new Error('The database is down.');
    };
    const store = { ...stores.users };
    const takeDown = async () => void Object.assign(store, { read: down, write: down, remove: down, list: down });
    return { store, takeDown, close: () => stores.close() };
  });
});

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableAccounts } from '../../../../../../functions/adapters/platform/aws-lambda/accounts/accounts.ts';
import { tableApiTokens } from '../../../../../../functions/adapters/platform/aws-lambda/accounts/api-tokens.ts';
import { tableUsers } from '../../../../../../functions/adapters/platform/aws-lambda/accounts/users.ts';
import {
  type PlatformTable,
  platformTable,
} from '../../../../../../functions/adapters/platform/aws-lambda/table/table.ts';
import { systemClock } from '../../../../../../functions/adapters/system/clock.ts';
import { startDynamoDb } from '../../../../../aws-local/emulators/dynamodb.ts';
import { accountsContract, type TestUser } from '../../../../../contracts/accounts.ts';
import { apiTokensContract } from '../../../../../contracts/api-tokens.ts';
import { platformTableContract } from '../../../../../contracts/platform-table.ts';
import { createPlatformTable, emulatorClient } from '../../../../../support/dynamodb-table.ts';

let database: Awaited<ReturnType<typeof startDynamoDb>>;
let tables = 0;

beforeAll(async () => {
  database = await startDynamoDb();
});
afterAll(async () => {
  await database?.close();
});

/** A new table, and a switch that takes it away. */
async function newTable(): Promise<PlatformTable & { takeDown(): void }> {
  tables += 1;
  const table = `platform-${tables}`;
  const client = emulatorClient(database.endpoint);
  await createPlatformTable(client, table);
  const nowhere = { accessKeyId: 'x', secretAccessKey: 'x' };
  const gone = new DynamoDBClient({
    endpoint: 'http://127.0.0.1:1',
    region: 'us-east-1',
    credentials: nowhere,
    maxAttempts: 1,
  });
  let current = platformTable({ client, table });
  return {
    read: (key) => current.read(key),
    list: (pk) => current.list(pk),
    scan: (prefix) => current.scan(prefix),
    write: (...args) => current.write(...args),
    remove: (key, condition) => current.remove(key, condition),
    takeDown: () => {
      current = platformTable({ client: gone, table });
    },
  };
}

platformTableContract('DynamoDB', newTable);

const partsOf = (table: PlatformTable) => ({ table, clock: systemClock });

describe('the users in the table', () => {
  accountsContract('the platform’s own table', async () => {
    const table = await newTable();
    const users = tableUsers(partsOf(table));
    const made = async (user: string): Promise<TestUser> => {
      const { password } = await users.add(user, `password of ${user}`);
      return { user, password, token: (await users.makeToken(user, 'hook')).token };
    };
    return {
      accounts: tableAccounts({ table }),
      users: [await made('kiwi'), await made('melon')],
      revoke: async ({ user }) => void (await users.revokeToken(user, 'hook')),
      takeDown: async () => table.takeDown(),
      close: async () => {},
    };
  });

  apiTokensContract('the platform’s own table', async () => {
    const table = await newTable();
    const { user, password } = await tableUsers(partsOf(table)).add('kiwi');
    return { tokens: tableApiTokens(partsOf(table)), login: { user, secret: password }, close: async () => {} };
  });

  it('have neither passwords nor tokens in clear', async () => {
    const table = await newTable();
    const users = tableUsers(partsOf(table));
    const { password } = await users.add('kiwi', 'a long password');
    const { token } = await users.makeToken('kiwi', 'hook');
    const stored = JSON.stringify(await table.list({ pk: 'U#kiwi' }));
    expect(stored).toContain('"T#hook"');
    expect(stored).not.toContain(password);
    expect(stored).not.toContain(token);
  });

  it('are added once, with a password that is long enough, or a random one', async () => {
    const users = tableUsers(partsOf(await newTable()));
    expect((await users.add('kiwi')).password).toMatch(/^[0-9a-f]{40}$/);
    for (const [user, password] of [
      ['kiwi', 'a long password'],
      ['melon', 'short'],
      ['a/b', 'a long password'],
      ['', 'a long password'],
    ] as const) {
      await expect(users.add(user, password)).rejects.toMatchObject({ code: 'request:bad_parameter' });
    }
  });

  it('have 200 tokens at most, because all of a user are read at each login', async () => {
    const table = await newTable();
    const users = tableUsers(partsOf(table));
    await users.add('kiwi');
    const fields = { hash: 'h', created_at: '2026-01-01T00:00:00.000Z' };
    for (let n = 1; n < 200; n += 1) await table.write({ pk: 'U#kiwi', sk: `T#ci-${n}` }, fields);
    await users.makeToken('kiwi', 'last');
    const detail = 'A user has at most 200 API tokens: revoke one first.';
    await expect(users.makeToken('kiwi', 'more')).rejects.toMatchObject({ code: 'request:bad_parameter', detail });
    await users.revokeToken('kiwi', 'ci-7');
    await expect(users.makeToken('kiwi', 'more')).resolves.toMatchObject({ name: 'more' });
  });

  it('keep their tokens when the password changes, and lose them when they are removed', async () => {
    const table = await newTable();
    const users = tableUsers(partsOf(table));
    const accounts = tableAccounts({ table });
    const { password } = await users.add('kiwi');
    const { token } = await users.makeToken('kiwi', 'hook');
    const changed = await users.setPassword('kiwi');
    await expect(accounts.authenticate('kiwi', password)).rejects.toMatchObject({ code: 'mw:auth:unauthorized' });
    expect(await accounts.authenticate('kiwi', changed.password)).toMatchObject({ user: 'kiwi' });
    expect(await accounts.authenticate('kiwi', token)).toMatchObject({ user: 'kiwi' });
    expect(await users.remove('kiwi')).toBe(true);
    expect(await users.remove('kiwi')).toBe(false);
    await users.add('kiwi');
    await expect(accounts.authenticate('kiwi', token)).rejects.toMatchObject({ code: 'mw:auth:unauthorized' });
  });

  it('are listed by name with the names of their tokens, and without what else is in the table', async () => {
    const table = await newTable();
    const users = tableUsers(partsOf(table));
    expect(await users.list()).toEqual([]);
    await users.add('melon');
    await users.add('kiwi');
    await users.makeToken('kiwi', 'hook');
    await table.write({ pk: 'A#kiwi', sk: 'USER' }, { of: 'an application' });
    const createdAt = expect.stringMatching(/^\d{4}-/);
    const kiwi = { user: 'kiwi', tokens: [{ name: 'hook', createdAt }] };
    expect(await users.list()).toEqual([kiwi, { user: 'melon', tokens: [] }]);
    expect(JSON.stringify(await users.list())).not.toContain('hash');
  });

  it('have no tokens when they do not exist', async () => {
    const users = tableUsers(partsOf(await newTable()));
    await expect(users.makeToken('nobody', 'hook')).rejects.toMatchObject({ code: 'request:bad_parameter' });
    await expect(users.setPassword('nobody')).rejects.toMatchObject({ code: 'request:bad_parameter' });
    expect(await users.revokeToken('nobody', 'hook')).toBe(false);
  });
});

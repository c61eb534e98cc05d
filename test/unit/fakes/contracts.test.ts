import { expect } from 'vitest';
import { accountsContract, type TestUser } from '../../contracts/accounts.ts';
import { apiTokensContract } from '../../contracts/api-tokens.ts';
import { platformTableContract } from '../../contracts/platform-table.ts';
import { tarballStoreContract } from '../../contracts/tarball-store.ts';
import { memoryAccounts } from '../../fakes/accounts.ts';
import { memoryApiTokens } from '../../fakes/api-tokens.ts';
import { memoryTable } from '../../fakes/platform-table.ts';
import { memoryTarballs } from '../../fakes/tarball-store.ts';

const users: readonly [TestUser, TestUser] = [
  { user: 'kiwi', password: 'password of kiwi', token: 'token of kiwi' },
  { user: 'melon', password: 'password of melon', token: 'token of melon' },
];

accountsContract('the accounts in memory', async () => {
  const accounts = memoryAccounts(users.map(({ user, password, token }) => ({ user, secrets: [password, token] })));
  return {
    accounts,
    users,
    revoke: async ({ user, token }) => accounts.revoke(user, token),
    takeDown: async () => accounts.setDown(true),
    close: async () => {},
  };
});

apiTokensContract('the tokens in memory', async () => {
  const login = { user: 'kiwi', secret: 'password of kiwi' };
  return { tokens: memoryApiTokens({ user: 'kiwi', password: login.secret }), login, close: async () => {} };
});

tarballStoreContract('memory', async () => {
  const store = memoryTarballs();
  return {
    store,
    expectEmpty: async () => expect(store.keys()).toEqual([]),
    close: async () => {},
  };
});

platformTableContract('memory', async () => memoryTable());

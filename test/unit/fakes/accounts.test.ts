import { accountsContract, type TestUser } from '../../contracts/accounts.ts';
import { memoryAccounts } from '../../fakes/accounts.ts';

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

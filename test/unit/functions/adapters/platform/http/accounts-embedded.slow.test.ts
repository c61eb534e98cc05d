import { object, parse, string } from 'valibot';
import { httpAccounts } from '../../../../../../functions/adapters/platform/http/accounts.ts';
import { httpApiTokens } from '../../../../../../functions/adapters/platform/http/api-tokens.ts';
import { accountsContract, type TestUser } from '../../../../../contracts/accounts.ts';
import { apiTokensContract } from '../../../../../contracts/api-tokens.ts';
import { newFolder } from '../../../../../support/new-folder.ts';
import { startInProcess } from '../../../../../support/platform/in-process.ts';

const serviceToken = 'service-token-of-the-tests';

async function callAs(
  url: string,
  { user, password }: Omit<TestUser, 'token'>,
  method: string,
  path: string,
  body = {},
) {
  const response = await fetch(`${url}/users/${user}/tokens${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response;
}

apiTokensContract('the embedded platform over HTTP', async () => {
  const platform = await startInProcess({ dataDir: newFolder('accounts'), serviceToken });
  const login = { user: 'kiwi', secret: 'password of kiwi' };
  await platform.ensureUser({ user: login.user, password: login.secret });
  return {
    tokens: httpApiTokens({ url: platform.url }),
    login,
    close: () => platform.close(),
  };
});

accountsContract('the embedded platform over HTTP', async () => {
  const platform = await startInProcess({ dataDir: newFolder('accounts'), serviceToken });
  const withToken = async (user: string): Promise<TestUser> => {
    const login = { user, password: `password of ${user}` };
    await platform.ensureUser(login);
    const created = await callAs(platform.url, login, 'POST', '', { name: 'hook' });
    return { ...login, token: parse(object({ token: string() }), await created.json()).token };
  };
  return {
    accounts: httpAccounts({ url: platform.url, serviceToken: async () => serviceToken, timeoutMs: 10_000 }),
    users: [await withToken('kiwi'), await withToken('melon')],
    revoke: async (user) => void (await callAs(platform.url, user, 'DELETE', '/hook')),
    takeDown: () => platform.close(),
    close: () => platform.close(),
  };
});

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { httpAccounts } from '../../../../../../functions/adapters/platform/http/accounts.ts';
import { basicHeader } from '../../../../../../functions/core/basic-auth.ts';
import { apiServer, type Reply, server } from '../../../../../support/api-server.ts';
import { failure } from '../../../../../support/platform/failure.ts';

const secret = 'hunter2:with:colons';
const authorization = basicHeader(`kiwi:${secret}`);
const login: Reply = { status: 200, body: { user: 'kiwi' } };
const record: Reply = { status: 200, body: { username: 'kiwi', email: 'kiwi@example.com' } };

/** Returns accounts at a server that answers `/auth` and all other paths with the given replies. */
async function setUp(replies: { auth?: Reply; record?: Reply }, timeoutMs = 5000) {
  const auth = await apiServer(...Array<Reply>(2).fill(replies.auth ?? login));
  const records = await apiServer(...Array<Reply>(2).fill(replies.record ?? record));
  const routed: typeof fetch = (url, init) => {
    const { origin, pathname } = new URL(String(url));
    return fetch(String(url).replace(origin, pathname === '/auth' ? auth.url : records.url), init);
  };
  const accounts = httpAccounts({
    url: 'http://platform.example.com',
    serviceToken: async () => 'token',
    fetch: routed,
    timeoutMs,
  });
  return { accounts, auth, records };
}

describe('a login at the platform', () => {
  it('sends the credentials of the caller to /auth and to the user record', async () => {
    const { accounts, auth, records } = await setUp({});
    expect(await accounts.authenticate('kiwi', secret)).toEqual({
      user: 'kiwi',
      record: { username: 'kiwi', email: 'kiwi@example.com' },
    });
    expect(auth.received).toMatchObject([{ method: 'GET', url: '/auth', headers: { authorization } }]);
    expect(records.received).toMatchObject([{ method: 'GET', url: '/users/kiwi', headers: { authorization } }]);
  });

  it('names the client, when it is known, for the platform that slows down who guesses', async () => {
    const { accounts, auth, records } = await setUp({});
    await accounts.authenticate('kiwi', secret, '203.0.113.9');
    await accounts.authenticate('kiwi', secret);
    for (const { received } of [auth, records]) {
      expect(received.map(({ headers }) => headers['x-forwarded-for'])).toEqual(['203.0.113.9', undefined]);
    }
  });

  it('sends both requests at the same time, so that it takes one round trip', async () => {
    let waiting: (() => void)[] = [];
    // Neither call is answered before the other one has arrived.
    const url = await server((request, response) => {
      const { body } = request.url === '/auth' ? { body: { user: 'kiwi' } } : { body: { username: 'kiwi' } };
      waiting.push(() => response.end(JSON.stringify(body)));
      if (waiting.length < 2) return;
      for (const answer of waiting) answer();
      waiting = [];
    });
    const accounts = httpAccounts({ url, timeoutMs: 20_000 });
    expect(await accounts.authenticate('kiwi', secret)).toMatchObject({ user: 'kiwi' });
  });

  it.each<[string, { auth?: Reply; record?: Reply }]>([
    ['401 to the login', { auth: { status: 401 } }],
    ['403 to the login', { auth: { status: 403 } }],
    ['401 to the login while the record is not answered', { auth: { status: 401 }, record: 'silence' }],
    ['another user than asked for', { auth: { status: 200, body: { user: 'melon' } } }],
    ['the same user in another case', { auth: { status: 200, body: { user: 'Kiwi' } } }],
    ['401 to the record, because the token has just been revoked', { record: { status: 401 } }],
  ])('is mw:auth:unauthorized on %s', async (_what, replies) => {
    const { accounts } = await setUp(replies);
    expect(await failure(accounts.authenticate('kiwi', secret))).toMatchObject({ code: 'mw:auth:unauthorized' });
  });

  it('fails without waiting for the record when it is refused', async () => {
    const { accounts } = await setUp({ auth: { status: 401 }, record: 'silence' }, 40_000);
    const began = performance.now();
    await failure(accounts.authenticate('kiwi', secret));
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  it.each<[string, { auth?: Reply; record?: Reply }]>([
    ['500 to the login', { auth: { status: 500, body: { error: 'No.' } } }],
    ['503 to the record', { record: { status: 503 } }],
    ['a redirect', { auth: { status: 302, headers: { location: 'http://127.0.0.1:1/' } } }],
    ['404, as from a wrong address', { auth: { status: 404 } }],
    ['a page instead of JSON', { auth: { status: 200, body: '<html>Welcome</html>' } }],
    ['JSON without a user', { auth: { status: 200, body: {} } }],
    ['a user that is not a string', { auth: { status: 200, body: { user: { toString: 'kiwi' } } } }],
    ['a record that is a list', { record: { status: 200, body: '[]' } }],
    ['silence to the login', { auth: 'silence' }],
    ['silence to the record', { record: 'silence' }],
    ['a closed connection, twice', { auth: 'hang up' }],
  ])('is mw:auth:auth_server_down on %s', async (_what, replies) => {
    const { accounts } = await setUp(replies, Object.values(replies).includes('silence') ? 200 : 5000);
    const error = await failure(accounts.authenticate('kiwi', secret));
    expect(error).toMatchObject({ code: 'mw:auth:auth_server_down', status: 500 });
  });

  it('is mw:auth:auth_server_down when a body begins and does not end', async () => {
    const url = await server((_request, response) => void response.write('{"user":'));
    const accounts = httpAccounts({ url, timeoutMs: 200 });
    expect(await failure(accounts.authenticate('kiwi', secret))).toMatchObject({ code: 'mw:auth:auth_server_down' });
  });

  it.each<[string, Reply]>([
    ['there is no record', { status: 404 }],
    ['the record has no username', { status: 200, body: { email: 'kiwi@example.com' } }],
    ['the username is empty', { status: 200, body: { username: '' } }],
    ['the username is null', { status: 200, body: { username: null } }],
  ])('is mw:auth:no_username when %s', async (_what, reply) => {
    const { accounts } = await setUp({ record: reply });
    expect(await failure(accounts.authenticate('kiwi', secret))).toMatchObject({ code: 'mw:auth:no_username' });
  });

  it('is sent again when the server has closed the connection', async () => {
    const api = await apiServer('hang up', 'hang up', record, record);
    const accounts = httpAccounts({ url: api.url, serviceToken: async () => 'token' });
    await expect(failure(accounts.authenticate('kiwi', secret))).resolves.toMatchObject({
      // Both calls were repeated; the server of this test answers each with a record.
      code: 'mw:auth:auth_server_down',
      detail: expect.stringContaining('200'),
    });
    expect(api.received).toHaveLength(4);
  });

  it('never has the secret in an error', async () => {
    const { accounts: refusing } = await setUp({ auth: { status: 401 } });
    const { accounts: silent } = await setUp({ auth: 'silence' }, 200);
    const absent = httpAccounts({ url: 'http://127.0.0.1:1' });
    const all = [refusing, silent, absent].map((accounts) => failure(accounts.authenticate('kiwi', secret)));
    const shown = inspect(await Promise.all(all), { depth: 20, showHidden: true });
    expect(shown).not.toContain('hunter2');
    expect(shown).not.toContain(authorization.slice('Basic '.length));
  });
});

describe('the user record that the service reads and updates', () => {
  it('is read and replaced with the service’s own token', async () => {
    const { accounts, records } = await setUp({});
    await accounts.read('kiwi');
    await accounts.update({ user: 'kiwi', record: { username: 'kiwi', a: 1 } });
    const headers = { authorization: basicHeader('kiwi:token') };
    expect(records.received).toMatchObject([
      { method: 'GET', url: '/users/kiwi', headers },
      { method: 'PUT', url: '/users/kiwi', headers, body: '{"username":"kiwi","a":1}' },
    ]);
  });

  it.each([
    [404, false],
    [401, false],
    [429, true],
    [500, true],
    [503, true],
  ])('fails with a code of its own when the platform answers %i, retryable: %s', async (status, retry) => {
    const { accounts } = await setUp({ record: { status } });
    expect(await failure(accounts.read('kiwi'))).toMatchObject({ code: 'auth:repohost:get_user_failed', retry });
    expect(await failure(accounts.update({ user: 'kiwi', record: {} }))).toMatchObject({
      code: 'auth:repohost:update_user_failed',
      retry,
    });
  });

  it('cannot be read or updated without a service token', async () => {
    const api = await apiServer();
    const accounts = httpAccounts({ url: api.url });
    expect(await failure(accounts.read('kiwi'))).toMatchObject({ code: 'auth:repohost:get_user_failed' });
    expect(api.received).toEqual([]);
  });

  it('is refused when it is not a JSON object', async () => {
    const { accounts } = await setUp({ record: { status: 200, body: '"kiwi"' } });
    expect(await failure(accounts.read('kiwi'))).toMatchObject({ code: 'auth:repohost:get_user_failed' });
  });
});

describe('a login that the platform cannot check now', () => {
  it.each([
    ['/auth', 'auth'],
    ['the record', 'record'],
  ])('is request:throttled with the seconds that the platform gives for %s', async (_what, which) => {
    const busy: Reply = { status: 429, headers: { 'retry-after': '7' }, body: { error: 'Too many.' } };
    const { accounts } = await setUp({ [which]: busy });
    expect(await failure(accounts.authenticate('kiwi', secret))).toMatchObject({
      code: 'request:throttled',
      status: 429,
      retry: true,
      retryAfter: 7,
    });
  });
});

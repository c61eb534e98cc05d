import { beforeEach, describe, expect, it } from 'vitest';
import { memoryFailures } from '../../../../functions/adapters/stores/memory/failure-memory.ts';
import { memoryRefusedCalls } from '../../../../functions/adapters/stores/memory/refused-calls.ts';
import { authorizer, Revocations } from '../../../../functions/authorize/authorize.ts';
import { basicHeader } from '../../../../functions/core/basic-auth.ts';
import { memoryAccounts } from '../../../fakes/accounts.ts';

const status = '/1/status/{user}/webhooks';
const basic = (user: string, secret: string) => basicHeader(`${user}:${secret}`);

function setUp() {
  const clock = { time: 0, now: () => clock.time };
  const accounts = memoryAccounts([
    { user: 'kiwi', secrets: ['password', 'to%3Aken', 'a:b'] },
    { user: 'a b', secrets: ['password'] },
    { user: 'a%20b', secrets: ['password'] },
    { user: 'broken', secrets: ['password'], record: { email: 'broken@example.com' } },
  ]);
  const refused = memoryRefusedCalls(clock);
  const revocations = new Revocations(clock);
  const ports = { accounts, clock, refused, failures: memoryFailures(clock), trace: () => {} };
  const authorize = authorizer(ports, revocations);
  const enter = (resource: string, authorization?: string, pathUser?: string, address = '192.0.2.1') =>
    authorize({ resource, method: 'GET', authorization, pathUser, address });
  return { accounts, authorize, clock, enter, refused, revocations };
}

let { accounts, authorize, clock, enter, refused, revocations } = setUp();
beforeEach(() => {
  ({ accounts, authorize, clock, enter, refused, revocations } = setUp());
});

describe('a login at a status path', () => {
  it('is accepted at the user’s own path', async () => {
    expect(await enter(status, basic('kiwi', 'password'), 'kiwi')).toEqual({ allowed: true, user: 'kiwi' });
  });

  it('is refused with mw:auth:unauthorized without credentials, and explains how to send them', async () => {
    expect(await enter(status, undefined, 'kiwi')).toEqual({
      allowed: false,
      code: 'mw:auth:unauthorized',
      detail: expect.stringContaining('HTTP Basic'),
    });
  });

  it.each([
    ['mw:auth:unauthorized', 'a wrong secret', basic('kiwi', 'wrong'), 'kiwi'],
    ['mw:auth:no_username', 'a record without a username', basic('broken', 'password'), 'broken'],
    ['mw:auth:not_you', 'the path of another user', basic('kiwi', 'password'), 'melon'],
    ['mw:auth:unauthorized', 'a wrong secret at the path of another user', basic('kiwi', 'wrong'), 'melon'],
    ['mw:auth:not_you', 'a path whose user cannot be decoded', basic('kiwi', 'password'), 'kiwi%'],
  ])('is refused with %s for %s', async (code, _what, header, pathUser) => {
    expect(await enter(status, header, pathUser)).toMatchObject({ code });
  });

  it('is refused with mw:auth:not_you even if the login is remembered', async () => {
    await enter(status, basic('kiwi', 'password'), 'kiwi');
    expect(await enter(status, basic('kiwi', 'password'), 'melon')).toMatchObject({ code: 'mw:auth:not_you' });
    expect(accounts.logins).toBe(1);
  });

  it('compares only the percent-decoded user of the path', async () => {
    expect(await enter(status, basic('a b', 'password'), 'a%20b')).toMatchObject({ user: 'a b' });
    expect(await enter(status, basic('a%20b', 'password'), 'a%20b')).toMatchObject({ code: 'mw:auth:not_you' });
    expect(await enter(status, basic('a%20b', 'password'), 'a%2520b')).toMatchObject({ user: 'a%20b' });
  });

  it('throws mw:auth:auth_server_down when the platform does not answer', async () => {
    accounts.setDown(true);
    await expect(enter(status, basic('kiwi', 'password'), 'kiwi')).rejects.toMatchObject({
      code: 'mw:auth:auth_server_down',
    });
  });

  it('is checked by the same rules at a path without a route', async () => {
    expect(await enter('/elsewhere/{user}', basic('kiwi', 'wrong'))).toMatchObject({ code: 'mw:auth:unauthorized' });
    expect(await enter('/elsewhere/{user}', basic('kiwi', 'password'), 'melon')).toMatchObject({ allowed: false });
  });
});

it('A login at a path without a user is accepted for every user, and refused with the same codes', async () => {
  const auth = '/1/auth/{host}';
  expect(await enter(auth, basic('kiwi', 'password'))).toEqual({ allowed: true, user: 'kiwi' });
  expect(await enter(auth, basic('kiwi', 'wrong'))).toMatchObject({ code: 'mw:auth:unauthorized' });
  expect(await enter(auth, basic('broken', 'password'))).toMatchObject({ code: 'mw:auth:no_username' });
});

describe.each(['/', '/1/deploy'])('a login at the deploy path %s', (deploy) => {
  it('is accepted for a valid user', async () => {
    expect(await enter(deploy, basic('kiwi', 'password'))).toEqual({ allowed: true, user: 'kiwi' });
  });

  it.each([
    ['no header', undefined],
    ['a header that cannot be read', 'Basic ?'],
    ['a wrong secret', basic('kiwi', 'wrong')],
    ['a record in a bad state', basic('broken', 'password')],
  ])('is refused with deploy:auth:bad_creds on %s, with a detail', async (_what, header) => {
    const verdict = await enter(deploy, header);
    expect(verdict).toMatchObject({ allowed: false, code: 'deploy:auth:bad_creds' });
    expect(verdict).toHaveProperty('detail', expect.stringMatching(/\w{3}/));
  });

  it('is remembered for the user that it names when it is refused, with the caller and without the secret', async () => {
    const agent = `GitHub-Hookshot/${'7'.repeat(500)}`;
    await authorize({
      resource: deploy,
      method: 'POST',
      authorization: basic('a%20b', 'wrong'),
      pathUser: undefined,
      address: '',
      agent,
    });
    expect(await refused.last('a b')).toEqual({
      at: 0,
      code: 'deploy:auth:bad_creds',
      detail: expect.not.stringContaining('wrong'),
      agent: agent.slice(0, 120),
    });
  });

  it('throws mw:auth:auth_server_down when the platform does not answer', async () => {
    accounts.setDown(true);
    await expect(enter(deploy, basic('kiwi', 'password'))).rejects.toMatchObject({ code: 'mw:auth:auth_server_down' });
  });
});

describe('a login that the platform cannot check now', () => {
  it.each(['/', status])('at %s may be sent again after the seconds that the platform gives', async (path) => {
    accounts.throttle(7);
    expect(await enter(path, basic('kiwi', 'password'), 'kiwi')).toEqual({ throttledSeconds: 7 });
  });
});

describe('many wrong passwords', () => {
  const guess = async (address?: string) => {
    for (let count = 0; count < 11; count += 1) await enter(status, basic('kiwi', 'wrong'), 'kiwi', address);
  };

  it('have the next wait, without asking the platform', async () => {
    await guess();
    const before = accounts.logins;
    expect(await enter(status, basic('kiwi', 'a guess'), 'kiwi')).toEqual({ throttledSeconds: 1 });
    expect(accounts.logins).toBe(before);
  });

  it('do not concern a remembered login, another address, or another user', async () => {
    await enter(status, basic('kiwi', 'password'), 'kiwi');
    await guess();
    for (const address of ['192.0.2.1', '203.0.113.7']) {
      expect(await enter(status, basic('kiwi', 'password'), 'kiwi', address)).toMatchObject({ allowed: true });
    }
    expect(await enter(status, basic('a b', 'password'), 'a b')).toMatchObject({ allowed: true });
  });
});

describe('credentials from a URL', () => {
  it('are first tried as sent, because a secret may contain a percent sign', async () => {
    expect(await enter('/', basic('kiwi', 'to%3Aken'))).toMatchObject({ user: 'kiwi' });
    expect(accounts.logins).toBe(1);
  });

  it('are then tried percent-decoded', async () => {
    expect(await enter('/', basic('kiwi', 'a%3Ab'))).toEqual({ allowed: true, user: 'kiwi' });
  });

  it('are tried once when decoding changes nothing', async () => {
    await enter('/', basic('kiwi', 'wrong'));
    expect(accounts.logins).toBe(1);
  });

  it('are not tried decoded when the platform did not answer', async () => {
    accounts.setDown(true);
    await expect(enter('/', basic('kiwi', 'a%3Ab'))).rejects.toThrow('auth_server_down');
    expect(accounts.logins).toBe(1);
  });
});

describe('remembered credentials', () => {
  it('are accepted for at most a minute after they were revoked', async () => {
    await enter('/', basic('kiwi', 'password'));
    accounts.revoke('kiwi', 'password');
    clock.time = 59_999;
    expect(await enter('/', basic('kiwi', 'password'))).toMatchObject({ allowed: true });
    clock.time = 60_000;
    expect(await enter('/', basic('kiwi', 'password'))).toMatchObject({ allowed: false });
  });

  it('are refused at once when the users change, also those that were used while that began', async () => {
    await enter(status, basic('kiwi', 'password'), 'kiwi');
    clock.time = 1000;
    revocations.beginAll();
    await enter(status, basic('kiwi', 'password'), 'kiwi');
    accounts.revoke('kiwi', 'password');
    clock.time = 2000;
    expect(await enter(status, basic('kiwi', 'password'), 'kiwi')).toMatchObject({ code: 'mw:auth:unauthorized' });
  });

  it('are accepted within the minute while the platform is down', async () => {
    await enter('/', basic('kiwi', 'password'));
    accounts.setDown(true);
    expect(await enter('/', basic('kiwi', 'password'))).toMatchObject({ allowed: true });
  });
});

describe('a login with an API token that is revoked', () => {
  const revoking = '/1/auth/tokens/{name}';

  it('is refused at once where the revocation was let in, also when it was used in between', async () => {
    await enter(status, basic('kiwi', 'a:b'), 'kiwi');
    clock.time = 1000;
    await enter(revoking, basic('kiwi', 'password'));
    expect(await enter(status, basic('kiwi', 'a:b'), 'kiwi')).toMatchObject({ allowed: true });
    accounts.revoke('kiwi', 'a:b');
    expect(await enter(status, basic('kiwi', 'a:b'), 'kiwi')).toMatchObject({ code: 'mw:auth:unauthorized' });
  });

  it('is remembered again half a minute later', async () => {
    await enter(revoking, basic('kiwi', 'password'));
    clock.time = 30_000;
    await enter(status, basic('kiwi', 'password'), 'kiwi');
    const { logins } = accounts;
    await enter(status, basic('kiwi', 'password'), 'kiwi');
    expect(accounts.logins).toBe(logins);
  });
});

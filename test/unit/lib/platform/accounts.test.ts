import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { derived } from '../../../support/cheap-passwords.ts';
import {
  appFiles,
  basic,
  call,
  deploy,
  login,
  platform,
  serverFile,
  serviceToken,
  sharedPlatform,
  until,
} from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

const as = (user: string, secret: string) => ({ authorization: basic(user, secret) });

describe('logging in', () => {
  it('a login with the password is accepted and returns its user', async () => {
    const at = await shared();
    expect(await call(at, 'GET', '/auth')).toMatchObject({ status: 200, body: { user: 'ada' } });
  });

  it.each([
    ['a wrong password', as('ada', 'wrong')],
    ['an unknown user', as('bob', login.password)],
    ['an invalid user name', as('../ada', login.password)],
    ['an empty secret', as('ada', '')],
    ['a header that is not Basic', { authorization: 'Bearer abc' }],
    ['a header that is not base64', { authorization: 'Basic %%%' }],
  ])('a login with %s is refused with 401 and a challenge', async (_what, headers) => {
    const at = await shared();

    const answer = await call(at, 'GET', '/auth', undefined, headers);

    expect(answer).toMatchObject({ status: 401, body: { error: expect.any(String) } });
    expect(answer.headers.get('www-authenticate')).toContain('Basic');
  });

  it('a login with colons in the password is accepted', async () => {
    const at = await shared();
    await at.ensureUser({ user: 'bob', password: 'a:b:c' });
    expect((await call(at, 'GET', '/auth', undefined, as('bob', 'a:b:c'))).status).toBe(200);
  });

  it('the password is hashed once for 200 logins', async () => {
    const at = await shared();
    await at.ensureUser({ user: 'bob', password: 'secret' });
    const before = derived.length;

    const logins = Array.from({ length: 200 }, () => call(at, 'GET', '/auth', undefined, as('bob', 'secret')));

    expect(new Set((await Promise.all(logins)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(derived.length - before).toBe(1);
  });

  it('the old password is refused as soon as there is a new one', async () => {
    const at = await shared();
    await call(at, 'GET', '/auth');

    await at.ensureUser({ user: 'ada', password: 'another' });

    expect((await call(at, 'GET', '/auth')).status).toBe(401);
    expect((await call(at, 'GET', '/auth', undefined, as('ada', 'another'))).status).toBe(200);
  });

  it('a user who is removed has no login, no token and no running application until taken in again; others stay', async () => {
    const at = await shared();
    await at.ensureUser({ user: 'bob', password: 'secret' });
    const made = await call(at, 'POST', '/users/ada/tokens', { name: 'ci' });
    const { body } = await deploy(at, 'hello', '1', appFiles('hello', serverFile('here')));

    await at.keepUsers(['bob']);

    expect((await call(at, 'GET', '/auth')).status).toBe(401);
    expect((await call(at, 'GET', '/auth', undefined, as('ada', made.body.token))).status).toBe(401);
    expect((await call(at, 'GET', '/auth', undefined, as('bob', 'secret'))).status).toBe(200);
    expect((await fetch(body.url)).status).toBe(503);
    await at.ensureUser(login);
    expect((await call(at, 'GET', '/auth', undefined, as('ada', made.body.token))).status).toBe(401);
    await until('the application runs again', async () => (await fetch(body.url)).status === 200);
    await call(at, 'POST', '/apps/ada/hello/stop');
    await at.keepUsers(['bob']);
    await at.ensureUser(login);
    expect((await call(at, 'GET', '/apps/ada/hello')).body.state).toBe('stopped');
  });

  it('an API token that is made anew takes the place of the one of its name', async () => {
    const at = await shared();
    const [old, token] = [await at.renewToken(login, 'git-push'), await at.renewToken(login, 'git-push')];
    expect((await call(at, 'GET', '/auth', undefined, as('ada', old))).status).toBe(401);
    expect((await call(at, 'GET', '/auth', undefined, as('ada', token))).status).toBe(200);
    expect((await call(at, 'GET', '/users/ada/tokens')).body.tokens).toMatchObject([{ name: 'git-push' }]);
  });

  it("another user's path is refused with 403", async () => {
    const at = await shared();
    await at.ensureUser({ user: 'bob', password: 'secret' });
    expect(await call(at, 'GET', '/apps/bob')).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('bob') },
    });
  });

  it('the service token can act for any existing user', async () => {
    const at = await shared();

    expect(await call(at, 'GET', '/users/ada', undefined, as('ada', serviceToken))).toMatchObject({ status: 200 });
    expect((await call(at, 'GET', '/apps/nobody', undefined, as('nobody', serviceToken))).status).toBe(404);
    expect((await call(at, 'GET', '/auth', undefined, as('nobody', serviceToken))).status).toBe(401);
  });

  it('users and passwords survive a restart, and no password is stored in plain text', async () => {
    const first = await platform();
    await first.close();
    const again = await platform({ dataDir: first.dataDir });

    expect((await call(again, 'GET', '/auth')).status).toBe(200);
    const files = await readdir(join(first.dataDir, 'users'));
    expect(files).toEqual(['ada.json']);
    expect(await readFile(join(first.dataDir, 'users', 'ada.json'), 'utf8')).not.toContain(login.password);
  });

  it('the error of a damaged state file names the file', async () => {
    const at = await platform();
    await writeFile(join(at.dataDir, 'users', 'ada.json'), '{"record": tru');

    const answer = await call(at, 'GET', '/auth');

    expect(answer).toMatchObject({ status: 500, body: { error: expect.stringMatching(/ada\.json is damaged/) } });
  });
});

/** More than the ten free ones: each pause is twice as long, and one is longer than a slow machine needs for a password. */
const MOST_GUESSES = 30;

describe('logins that guess', () => {
  const guesses = (count: number) => Array.from({ length: count }, (_, at) => as('ada', `wrong ${at}`));

  // All 150 were checked before, in a pool that tokens and files waited for too. Counted, because time depends on the
  // machine.
  it('are checked a few at a time, and do not delay what was right before', async () => {
    const at = await platform();
    const { body } = await call(at, 'POST', '/users/ada/tokens', { name: 'ci' });
    const wrong = Promise.all(guesses(150).map((headers) => call(at, 'GET', '/auth', undefined, headers)));

    const right = [as('ada', body.token), as('ada', login.password), as('ada', serviceToken)];
    const answers = await Promise.all(right.map((headers) => call(at, 'GET', '/auth', undefined, headers)));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const refused = (await wrong).map(({ status, headers }) => `${status} ${headers.has('retry-after')}`);
    expect([...new Set(refused)].sort()).toEqual(['401 false', '429 true']);
    expect(refused.filter((one) => one.startsWith('401')).length).toBeLessThan(50);
  });

  it('do not keep another user from a first login', async () => {
    const at = await platform();
    await at.ensureUser({ user: 'bob', password: 'secret' });
    const wrong = guesses(100).map((headers) => call(at, 'GET', '/auth', undefined, headers));

    expect((await call(at, 'GET', '/auth', undefined, as('bob', 'secret'))).status).toBe(200);

    await Promise.all(wrong);
  });

  const behind = (client: string, secret: string) => ({ ...as('ada', secret), 'x-forwarded-for': client });

  it('must wait after more than ten failures, whatever address it says it has, and a token of the same user need not', async () => {
    const at = await platform();
    const { body } = await call(at, 'POST', '/users/ada/tokens', { name: 'ci' });
    let answer = await call(at, 'GET', '/auth', undefined, behind('192.0.2.0', 'wrong'));
    for (let one = 1; one < MOST_GUESSES && answer.status === 401; one += 1) {
      answer = await call(at, 'GET', '/auth', undefined, behind(`192.0.2.${one}`, `wrong ${one}`));
    }

    expect(answer).toMatchObject({ status: 429, body: { error: expect.stringContaining('Try again in') } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call(at, 'GET', '/auth', undefined, as('ada', body.token))).status).toBe(200);
    expect((await call(at, 'GET', '/auth', undefined, as('ada', login.password))).status).toBe(200);
  });

  it('are counted by the address that a proxy names, the last one, when there is a proxy', async () => {
    const at = await platform({ behindProxy: true });
    const ask = async (client: string, secret: string) =>
      (await call(at, 'GET', '/auth', undefined, behind(client, secret))).status;
    let status = 401;
    for (let one = 0; one < MOST_GUESSES && status === 401; one += 1) {
      status = await ask(`192.0.2.${one}, 198.51.100.7`, `wrong ${one}`);
    }
    expect(status).toBe(429);
    expect(await ask('203.0.113.9', login.password)).toBe(200);
  });

  it('with the form of a token are refused at once, and no password may have it', async () => {
    const at = await platform();
    const form = `dwt_${'a'.repeat(43)}`;
    for (let tries = 0; tries < 12; tries++) {
      expect((await call(at, 'GET', '/auth', undefined, as('ada', form))).status).toBe(401);
    }
    await expect(at.ensureUser({ user: 'bob', password: form })).rejects.toThrow('form of an API token');
  });
});

describe('a user’s record', () => {
  it("a user's record is stored as it is sent, also without a username", async () => {
    const at = await shared();
    expect((await call(at, 'GET', '/users/ada')).body).toEqual({ username: 'ada' });

    await call(at, 'PUT', '/users/ada', { plan: 'free', constructor: 'kept' });

    expect(Object.entries((await call(at, 'GET', '/users/ada')).body ?? {})).toEqual([
      ['plan', 'free'],
      ['constructor', 'kept'],
    ]);
    expect((await call(at, 'GET', '/auth')).status).toBe(200);
  });

  it.each([
    ['a list', '[1]'],
    ['invalid JSON', '{'],
    ['a string', '"x"'],
  ])("a user's record cannot be %s", async (_what, body) => {
    const at = await shared();
    const answer = await call(at, 'PUT', '/users/ada', Buffer.from(body));
    expect(answer).toMatchObject({ status: 400, body: { error: expect.any(String) } });
  });

  it("a user's record cannot be larger than the limit", async () => {
    const at = await platform({ limits: { bodyBytes: 1_000 } });
    expect((await call(at, 'PUT', '/users/ada', { text: 'x'.repeat(2_000) })).status).toBe(413);
  });
});

describe('API tokens', () => {
  it('API tokens are shown once, work like the password, and are refused once they are revoked', async () => {
    const at = await shared();

    const made = await call(at, 'POST', '/users/ada/tokens', { name: 'ci' });
    const token = as('ada', made.body.token);

    expect(made.status).toBe(201);
    expect((await call(at, 'GET', '/auth', undefined, token)).status).toBe(200);
    const list = await call(at, 'GET', '/users/ada/tokens');
    expect(list.body.tokens).toEqual([{ name: 'ci', created_at: expect.any(String) }]);
    expect(await readFile(join(at.dataDir, 'users', 'ada.json'), 'utf8')).not.toContain(made.body.token);
    expect((await call(at, 'DELETE', '/users/ada/tokens/ci')).status).toBe(204);
    expect((await call(at, 'GET', '/auth', undefined, token)).status).toBe(401);
    expect((await call(at, 'DELETE', '/users/ada/tokens/ci')).status).toBe(404);
  });

  it('API tokens can be created only with the password and under an unused name', async () => {
    const at = await shared();
    const { body } = await call(at, 'POST', '/users/ada/tokens', { name: 'ci' });

    expect((await call(at, 'POST', '/users/ada/tokens', { name: 'b' }, as('ada', body.token))).status).toBe(403);
    expect((await call(at, 'POST', '/users/ada/tokens', { name: 'b' }, as('ada', serviceToken))).status).toBe(403);
    expect((await call(at, 'POST', '/users/ada/tokens', { name: 'ci' })).status).toBe(409);
    expect((await call(at, 'POST', '/users/ada/tokens', {})).status).toBe(400);
  });

  it('API tokens are limited in number, because all of a user are read at each login', async () => {
    const at = await platform();
    const file = join(at.dataDir, 'users', 'ada.json');
    const user = JSON.parse(await readFile(file, 'utf8'));
    const tokens = Array.from({ length: 199 }, (_, n) => ({ name: `ci-${n}`, hash: `${n}`, created_at: '' }));
    await writeFile(file, JSON.stringify({ ...user, tokens }));
    expect((await call(at, 'POST', '/users/ada/tokens', { name: 'last' })).status).toBe(201);
    expect(await call(at, 'POST', '/users/ada/tokens', { name: 'more' })).toMatchObject({
      status: 409,
      body: { error: 'A user has at most 200 API tokens: revoke one first.' },
    });
    expect((await call(at, 'DELETE', '/users/ada/tokens/ci-7')).status).toBe(204);
    expect((await call(at, 'POST', '/users/ada/tokens', { name: 'more' })).status).toBe(201);
  });

  it('API tokens are refused for another user', async () => {
    const at = await platform();
    await at.ensureUser({ user: 'bob', password: 'secret' });
    const { body } = await call(at, 'POST', '/users/ada/tokens', { name: 'ci' });
    expect((await call(at, 'GET', '/auth', undefined, as('bob', body.token))).status).toBe(401);
  });
});

describe('third-party tokens', () => {
  it('third-party tokens are stored as encrypted by the caller, replaced under the same id, and removed', async () => {
    const at = await shared();

    await call(at, 'POST', '/users/ada/thirdparty', { id: 'github:*', sealed: 'abc' });
    await call(at, 'POST', '/users/ada/thirdparty', { id: 'github:*', sealed: 'def' });

    expect((await call(at, 'GET', '/users/ada/thirdparty')).body.thirdparty).toEqual([
      { id: 'github:*', sealed: 'def' },
    ]);
    expect((await call(at, 'DELETE', '/users/ada/thirdparty/github:*')).status).toBe(204);
    expect((await call(at, 'DELETE', '/users/ada/thirdparty/github:*')).status).toBe(404);
  });
});

describe('paths and methods', () => {
  it('an unknown path is 404, and a wrong method is 405 with the allowed ones', async () => {
    const at = await shared();

    expect(await call(at, 'GET', '/nothing/here')).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    const wrong = await call(at, 'DELETE', '/auth');
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('GET');
    expect((await call(at, 'GET', '/auth/')).status).toBe(200);
    expect((await call(at, 'GET', '/apps/%E0%A4%A')).status).toBe(400);
  });

  it('the platform refuses to start with a service token that can be guessed', async () => {
    await expect(platform({ serviceToken: '' })).rejects.toThrow(/service token/);
  });
});

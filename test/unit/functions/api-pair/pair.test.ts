import { assert, asyncProperty, nat, oneof, string } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type HostConfig, hostAt } from '../../../../functions/adapters/hosts/configuration.ts';
import { pair } from '../../../../functions/api-pair/pair.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import { fetchToken, statusToken } from '../../../../functions/core/host-tokens.ts';
import { httpTrigger } from '../../../../functions/triggers/http.ts';
import { memoryAccounts } from '../../../fakes/accounts.ts';
import { memoryTokens } from '../../../fakes/deploy-log.ts';
import { memoryHost } from '../../../fakes/repository-host.ts';
import { memorySealer } from '../../../fakes/sealer.ts';
import { context, uuid } from '../../../support/events/aws-events.ts';
import { gatewayEvent, type PairRequest } from '../../../support/events/gateway-event.ts';

const configured: readonly HostConfig[] = [
  { name: 'forge', kind: 'gitea', api: 'https://forge.test/api/v1', web: 'https://forge.test' },
  { name: 'github', kind: 'github', api: 'https://api.github.com', web: 'https://github.com' },
];
const secret = 'canary-secret-91c2f7';

function setUp() {
  const hosts = { forge: memoryHost('forge'), github: memoryHost('github') };
  for (const host of Object.values(hosts)) host.addToken('octo', secret, ['repo'], '2027-01-01T00:00:00.000Z');
  const record = { username: 'kiwi', email: 'kiwi@example.com' };
  const accounts = memoryAccounts([{ user: 'kiwi', secrets: ['x'], record }]);
  const tokens = memoryTokens();
  const sealer = memorySealer();
  const ports = {
    tokens,
    accounts,
    sealer,
    hostNames: Object.keys(hosts),
    hostAt: (segment: string) => {
      const found = hostAt(configured, segment);
      if (found === null) return null;
      return { name: found.name, host: found.name === 'forge' ? hosts.forge : hosts.github };
    },
  };
  const handler = httpTrigger(pair(ports));
  const ask = async (request: PairRequest) => {
    const { statusCode, headers, body } = await handler(gatewayEvent(request), context);
    return { status: statusCode, headers: headers ?? {}, body: JSON.parse(body) };
  };
  const send = (credentials: unknown, more: PairRequest = {}) =>
    ask({ body: JSON.stringify({ credentials }), ...more });
  return { ...hosts, ports, ask, send, read: async () => (await accounts.read('kiwi')).record };
}

let errors: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  errors = vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  expect(JSON.stringify(errors.mock.calls)).not.toContain(secret);
  vi.restoreAllMocks();
});

let { send, ports, forge, read, ask } = setUp();
beforeEach(() => {
  ({ send, ports, forge, read, ask } = setUp());
});

describe('pairing', () => {
  it('answers 201 with login, scopes and expiry, never with the token', async () => {
    const answer = await send(`Octo:${secret}`);
    expect(answer).toMatchObject({ status: 201, headers: { 'x-api-uuid': uuid, 'cache-control': 'no-store' } });
    expect(answer.body).toEqual({
      host: 'forge',
      login: 'octo',
      app: '*',
      scopes: ['repo'],
      expires_at: '2027-01-01T00:00:00.000Z',
    });
    expect(JSON.stringify(answer)).not.toContain(secret);
  });

  it('stores the token sealed, for fetching code and for commit statuses of all applications', async () => {
    await send(`octo:${secret}`);
    expect(JSON.stringify(await ports.tokens.list('kiwi'))).not.toContain(secret);
    expect(await fetchToken(ports, 'kiwi', 'forge')).toBe(secret);
    expect(await statusToken(ports, 'kiwi', 'forge', 'hello')).toBe(secret);
    expect(await fetchToken(ports, 'melon', 'forge')).toBeNull();
  });

  it('stores a token with app for commit statuses of that application only', async () => {
    expect((await send(`octo:${secret}`, { app: '@kiwi/hello' })).body).toMatchObject({ app: '@kiwi/hello' });
    expect(await fetchToken(ports, 'kiwi', 'forge')).toBeNull();
    expect(await statusToken(ports, 'kiwi', 'forge', '@kiwi/hello')).toBe(secret);
    expect(await statusToken(ports, 'kiwi', 'forge', 'other')).toBeNull();
  });

  it('is refused for a user with 200 pairings, before the host makes a token; one of them may be replaced', async () => {
    await send(`octo:${secret}`, { app: 'app-1' });
    const [one] = await ports.tokens.list('kiwi');
    if (!one) throw new Error('There is no pairing.');
    for (let n = 2; n <= 200; n += 1) await ports.tokens.put('kiwi', { ...one, app: `app-${n}` });
    expect((await send(`octo:${secret}`, { app: 'app-7' })).status).toBe(201);
    forge.pair = () => Promise.reject(new Error('The host was asked.'));
    const { status, body } = await send(`octo:${secret}`, { app: 'more' });
    expect([status, body.code]).toEqual([400, 'request:bad_parameter']);
    expect(body.detail).toBe('A user has at most 200 pairings: delete one first.');
  });

  it('replaces the stored token of the same host and application', async () => {
    await send(`octo:${secret}`);
    forge.addToken('octo', 'newer-secret', ['repo', 'user']);
    expect((await send('octo:newer-secret')).status).toBe(201);
    expect(await fetchToken(ports, 'kiwi', 'forge')).toBe('newer-secret');
    expect(await ports.tokens.list('kiwi')).toHaveLength(1);
    expect(await read()).toMatchObject({ repohost_pairings: [{ scopes: ['repo', 'user'], expires_at: null }] });
  });

  it('splits the credentials at the first colon only', async () => {
    forge.addToken('octo', 'pass:with:colons');
    expect((await send('octo:pass:with:colons')).status).toBe(201);
    expect(await fetchToken(ports, 'kiwi', 'forge')).toBe('pass:with:colons');
  });

  it.each([
    ['repohost', 'forge'],
    ['forge', 'forge'],
    ['gitea', 'forge'],
    ['github', 'github'],
  ])('at /1/auth/%s uses the host %s', async (host, name) => {
    expect((await send(`octo:${secret}`, { host })).body).toMatchObject({ host: name });
  });

  it('lists the pairings in the user’s record and keeps its other fields', async () => {
    await send(`octo:${secret}`, { host: 'github', app: 'hello' });
    expect(await read()).toEqual({
      username: 'kiwi',
      email: 'kiwi@example.com',
      repohost_pairings: [
        { host: 'github', login: 'octo', app: 'hello', scopes: ['repo'], expires_at: '2027-01-01T00:00:00.000Z' },
      ],
    });
  });
});

describe('a refused pairing', () => {
  it.each([
    ['no body', ''],
    ['malformed JSON', '{"credentials": '],
    ['invalid UTF-8', Uint8Array.from([0x7b, 0xff, 0x7d])],
    ['a list', '["octo:x"]'],
    ['no such field', '{"credential": "octo:x"}'],
    ['null', '{"credentials": null}'],
    ['an empty string', '{"credentials": ""}'],
  ])('is auth:repohost:no_credentials for a body with %s', async (_, body) => {
    expect(await ask({ body })).toMatchObject({
      status: 400,
      headers: { 'content-type': 'application/problem+json' },
      body: { code: 'auth:repohost:no_credentials', status: 400, uuid },
    });
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', '', 'application/jsonp'])(
    'is auth:repohost:no_credentials for the content type %j, which another site’s page can send',
    async (contentType) => {
      expect(await send(`octo:${secret}`, { contentType })).toMatchObject({
        body: { code: 'auth:repohost:no_credentials', detail: expect.stringContaining('application/json') },
      });
    },
  );

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/problem+json'])(
    'is never caused by the JSON content type %j',
    async (contentType) => {
      expect((await send(`octo:${secret}`, { contentType })).status).toBe(201);
    },
  );

  it.each([
    ['no colon', secret],
    ['no user', `:${secret}`],
    ['no password', 'octo:'],
    ['a number', 1],
    ['an object', { user: 'octo' }],
    ['a line break', `octo:${secret}\n`],
    ['a lone surrogate', `octo:${secret}\ud800`],
    ['more bytes than the limit', `octo:${secret.repeat(200)}`],
  ])('is auth:repohost:bad_credentials for credentials with %s', async (_, credentials) => {
    const answer = await send(credentials);
    expect(answer).toMatchObject({ status: 400, body: { code: 'auth:repohost:bad_credentials' } });
    expect(JSON.stringify(answer)).not.toContain(secret);
  });

  it('is auth:repohost:github_pairing_failed for every host, without WWW-Authenticate', async () => {
    for (const credentials of [`someone:${secret}`, 'octo:wrong']) {
      const answer = await send(credentials);
      expect(answer).toMatchObject({
        status: 401,
        body: { code: 'auth:repohost:github_pairing_failed', detail: expect.stringContaining('token') },
      });
      expect(answer.headers).not.toHaveProperty('www-authenticate');
    }
    expect(await ports.tokens.list('kiwi')).toEqual([]);
  });

  it('is auth:repohost:get_user_failed without a user record, and the host is not called', async () => {
    forge.failWith('pair', new DeployError('request:failed', 'was asked'));
    expect(await send(`octo:${secret}`, { user: 'melon' })).toMatchObject({
      status: 500,
      body: { code: 'auth:repohost:get_user_failed' },
    });
  });

  it('is auth:repohost:update_user_failed when the record cannot be written, and nothing is stored', async () => {
    vi.spyOn(ports.accounts, 'update').mockRejectedValue(
      new DeployError('auth:repohost:update_user_failed', 'The platform answered 503 for the user record.'),
    );
    expect(await send(`octo:${secret}`)).toMatchObject({
      status: 500,
      body: { code: 'auth:repohost:update_user_failed' },
    });
    expect(await ports.tokens.list('kiwi')).toEqual([]);
  });

  it('is request:failed when the token cannot be sealed or stored; only the log has the cause', async () => {
    for (const port of ['seal', 'put'] as const) {
      const { send, ports } = setUp();
      const broken = vi.fn().mockRejectedValue(new Error('the key is gone'));
      if (port === 'seal') ports.sealer.seal = broken;
      else ports.tokens.put = broken;
      const answer = await send(`octo:${secret}`);
      expect(answer).toMatchObject({ status: 500, body: { code: 'request:failed' } });
      expect(JSON.stringify(answer)).not.toContain('key is gone');
      expect(JSON.stringify(errors.mock.calls)).toContain('the key is gone');
    }
  });

  it('is request:not_found for a host that is not configured, and names the configured ones', async () => {
    for (const host of ['bitbucket', '../x', '"', 'constructor', '']) {
      expect(await send(`octo:${secret}`, { host })).toMatchObject({
        status: 404,
        body: { code: 'request:not_found', detail: expect.stringContaining('/1/auth/forge, /1/auth/github') },
      });
    }
  });

  it.each(['', 'a b', '.hidden', '../x', 'x'.repeat(215), 'a\u0000b', '**'])(
    'is request:bad_parameter for the app %j',
    async (app) => {
      expect(await send(`octo:${secret}`, { app })).toMatchObject({
        status: 400,
        body: { code: 'request:bad_parameter', detail: expect.stringContaining('app') },
      });
    },
  );

  it('is request:too_large for a body over the limit', async () => {
    const body = Buffer.alloc(5 * 1024 * 1024 + 1, ' ');
    expect(await ask({ body })).toMatchObject({ status: 413, body: { code: 'request:too_large' } });
  });

  it('has one of the documented codes for any credentials', async () => {
    const character = nat(0x10ffff).map((point) => String.fromCodePoint(point));
    await assert(
      asyncProperty(oneof(string(), string({ unit: character }), string({ unit: 'grapheme' })), async (text) => {
        const answers = [
          await send(text),
          await send(`octo:${text}`),
          await send(`${text}:x`),
          await ask({ body: text }),
        ];
        for (const { status, body } of answers) {
          expect([400, 401]).toContain(status);
          expect(body.code).toMatch(/^auth:repohost:(no_credentials|bad_credentials|github_pairing_failed)$/);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('the pairings of a user', () => {
  it('are listed per host, without the tokens', async () => {
    await send(`octo:${secret}`);
    await send(`octo:${secret}`, { app: 'hello' });
    await send(`octo:${secret}`, { host: 'github' });
    const answer = await ask({ method: 'GET', host: 'repohost' });
    expect(answer).toMatchObject({ status: 200, body: { host: 'forge', pairings: [{ app: '*' }, { app: 'hello' }] } });
    expect(JSON.stringify(answer)).not.toMatch(/sealed|v1\.|canary/);
    expect((await ask({ method: 'GET', host: 'github' })).body.pairings).toHaveLength(1);
    expect((await ask({ method: 'GET', user: 'melon' })).body).toEqual({
      host: 'forge',
      hosts: ['forge', 'github'],
      pairings: [],
    });
  });

  it('are removed one by one, from the store and from the user’s record; a second DELETE is 404', async () => {
    await send(`octo:${secret}`);
    await send(`octo:${secret}`, { app: 'hello' });
    expect(await ask({ method: 'DELETE' })).toMatchObject({
      status: 200,
      body: { host: 'forge', app: '*', forgotten: true, detail: expect.stringContaining('revoke it there') },
    });
    expect(await fetchToken(ports, 'kiwi', 'forge')).toBeNull();
    expect(await read()).toMatchObject({ repohost_pairings: [{ app: 'hello' }] });
    expect(await ask({ method: 'DELETE' })).toMatchObject({ status: 404, body: { code: 'request:not_found' } });
    expect((await ask({ method: 'DELETE', app: 'hello' })).status).toBe(200);
    expect(await read()).toMatchObject({ repohost_pairings: [] });
  });

  it('are removed even while the platform is down; the next call updates the user’s record', async () => {
    await send(`octo:${secret}`);
    ports.accounts.setDown(true);
    expect((await ask({ method: 'DELETE' })).body).toMatchObject({ code: 'auth:repohost:get_user_failed' });
    expect(await ports.tokens.list('kiwi')).toEqual([]);
    ports.accounts.setDown(false);
    expect((await ask({ method: 'DELETE' })).status).toBe(404);
    expect(await read()).toMatchObject({ repohost_pairings: [] });
  });
});

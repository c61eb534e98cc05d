import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHost } from '../../../../../../functions/adapters/hosts/open-hosts.ts';
import { gitea } from '../../../../../../functions/adapters/hosts/registry.ts';
import type { Host } from '../../../../../../functions/core/ports/repository-host.ts';
import { type StrictServer, strictServer } from '../../../../../support/hosts/strict-server.ts';

const sha = '1'.repeat(40);
const other = '2'.repeat(40);
const commit = { host: 'forge', owner: 'octo', name: 'hello', sha };
const token = 'ab'.repeat(20);
const repository = '/api/v1/repos/octo/hello';
const brief = 'stat=false&verification=false&files=false';

let api: StrictServer;
let host: Host;
beforeEach(async () => {
  api = await strictServer();
  host = openHost(gitea, {
    name: 'forge',
    api: `${api.url}/api/v1`,
    web: api.url,
    userAgent: 'deployment-webhooks/1.0.0',
  });
});
afterEach(() => api.close());

describe('Requests to Gitea', () => {
  it('send the token with the scheme token', async () => {
    api.expect({ request: `GET ${repository}/raw/a/b%20c.txt?ref=${sha}`, body: 'text' });
    expect(await host.file(commit, 'a/b c.txt', token, 100)).toBe('text');
    expect(api.received[0]?.headers.authorization).toBe(`token ${token}`);
  });

  it("set a status with GitHub's fields", async () => {
    api.expect({ request: `POST ${repository}/statuses/${sha}`, status: 201, body: '{"id":1}' });
    const status = { state: 'error', targetUrl: 'https://d.test/1', description: 'late', context: 'c' } as const;
    await host.setStatus(commit, status, token);
    const sent = { state: 'error', target_url: 'https://d.test/1', description: 'late', context: 'c' };
    expect(JSON.parse(api.received[0]?.body ?? '')).toEqual(sent);
  });

  it('do not list histories when a commit does not exist', async () => {
    api.expect({ request: `GET ${repository}/git/commits/${sha}?${brief}`, status: 404, body: '{}' });
    await expect(host.compare(commit, other, null)).rejects.toMatchObject({ retry: false });
  });
});

describe('Pairing with Gitea by a password', () => {
  const make = 'POST /api/v1/users/octo/tokens';
  const made = { request: make, status: 201, body: `{"id":1,"sha1":"${token}","scopes":["read:user"]}` };
  const user = { request: 'GET /api/v1/user', body: '{"login":"Octo"}' };

  it('creates a token with a unique name and the scopes read:user and write:repository', async () => {
    api.expect(made, user, made, user);
    const pairing = { login: 'Octo', token, scopes: ['read:user'], expiresAt: null };
    expect(await host.pair('octo', 'pass:wörd')).toEqual(pairing);
    await host.pair('octo', 'pass:wörd');
    const [first, , second] = api.received.map(({ body }) => (body ? JSON.parse(body) : null));
    expect(first).toEqual({
      name: expect.stringMatching(/^deployment-webhooks-[0-9a-f]{12}$/),
      scopes: ['read:user', 'write:repository'],
    });
    expect(second.name).not.toBe(first.name);
    const basic = Buffer.from('octo:pass:wörd').toString('base64');
    expect(api.received[0]?.headers.authorization).toBe(`Basic ${basic}`);
    expect(api.received[1]?.headers.authorization).toBe(`token ${token}`);
  });

  it('says that two-factor login needs a token when the password is rejected', async () => {
    api.expect({ request: make, status: 401, body: '{"message":"invalid username, password or token"}' });
    await expect(host.pair('octo', 'wrong')).rejects.toMatchObject({
      code: 'auth:repohost:github_pairing_failed',
      retry: false,
      detail: expect.stringMatching(/two-factor.*X-Gitea-OTP.*read:user and write:repository/),
    });
  });

  it('is retryable when the host is down or creates no token', async () => {
    api.expect({ request: make, status: 503 }, { request: make, status: 201, body: '{"sha1":""}' });
    await expect(host.pair('octo', 'password')).rejects.toMatchObject({ retry: true });
    await expect(host.pair('octo', 'password')).rejects.toMatchObject({ retry: true });
  });
});

describe('Pairing with Gitea by a token', () => {
  const user = { request: 'GET /api/v1/user', body: '{"login":"octo"}' };
  const repos = 'GET /api/v1/user/repos?limit=1';

  it('stores the token when it can read repositories', async () => {
    api.expect(user, { request: repos, body: '[]' });
    expect(await host.pair('octo', token)).toEqual({ login: 'octo', token, scopes: [], expiresAt: null });
  });

  it.each([
    [[{ request: user.request, status: 403 }], /needs read:user and write:repository/],
    [[user, { request: repos, status: 403 }], /needs read:user and write:repository/],
    [[{ request: user.request, body: '{"login":"melon"}' }], /another user/],
  ])('rejects a token with too few scopes or of another user', async (exchanges, words) => {
    api.expect(...exchanges);
    await expect(host.pair('octo', token)).rejects.toMatchObject({
      retry: false,
      detail: expect.stringMatching(words),
    });
  });

  it('uses a secret that only looks like a token as a password', async () => {
    api.expect({ request: user.request, status: 401 }, { request: 'POST /api/v1/users/octo/tokens', status: 401 });
    await expect(host.pair('octo', token)).rejects.toMatchObject({ retry: false });
  });
});

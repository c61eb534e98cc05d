import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHost } from '../../../../../../functions/adapters/hosts/open-hosts.ts';
import { gitlab } from '../../../../../../functions/adapters/hosts/registry.ts';
import type { Host } from '../../../../../../functions/core/ports/repository-host.ts';
import { type StrictServer, strictServer } from '../../../../../support/hosts/strict-server.ts';

const sha = '1'.repeat(40);
const other = '2'.repeat(40);
const base = '3'.repeat(40);
const { signal } = new AbortController();
const commit = { host: 'gitlab', owner: 'group/sub.group', name: 'hello', sha };
const token = 'glpat-averysecrettoken';
const project = '/api/v4/projects/group%2Fsub.group%2Fhello';
const archive = `GET ${project}/repository/archive.tar.gz?sha=${sha}`;
const mergeBase = `GET ${project}/repository/merge_base?refs%5B%5D=${sha}&refs%5B%5D=${other}`;
const status = { state: 'failure', targetUrl: 'https://d.test/1', description: 'down', context: 'deploy/a' } as const;
const setStatus = `POST ${project}/statuses/${sha}`;
const standing = `GET ${project}/repository/commits/${sha}/statuses?name=deploy%2Fa&order_by=id&sort=desc&per_page=1`;

let api: StrictServer;
let files: StrictServer;
let host: Host;
beforeEach(async () => {
  [api, files] = await Promise.all([strictServer(), strictServer()]);
  const options = { name: 'work', web: api.url, userAgent: 'deployment-webhooks/1.0.0', downloadHosts: [files.host] };
  host = openHost(gitlab, { ...options, api: `${api.url}/api/v4` });
});
afterEach(async () => {
  await Promise.all([api.close(), files.close()]);
});

describe('Requests to GitLab', () => {
  it('encode project and file as one path segment each and send the token in Private-Token', async () => {
    const request = `GET ${project}/repository/files/a%2Fb%20c.txt/raw?ref=${sha}`;
    api.expect({ request, body: 'text' });
    expect(await host.file(commit, 'a/b c.txt', token, 100)).toBe('text');
    expect(api.received[0]?.headers).toMatchObject({ 'private-token': token });
    expect(api.received[0]?.headers).not.toHaveProperty('authorization');
  });

  it("set a status with GitLab's names of states", async () => {
    api.expect({ request: setStatus, status: 201, body: '{"id":93,"status":"failed"}' });
    await host.setStatus(commit, status, token);
    const sent = { state: 'failed', name: 'deploy/a', target_url: 'https://d.test/1', description: 'down' };
    expect(JSON.parse(api.received[0]?.body ?? '')).toEqual(sent);
  });

  it.each([
    [sha, 'ahead'],
    [other, 'behind'],
    [base, 'diverged'],
  ])('compare commits by their merge base: %s means %s', async (id, answer) => {
    api.expect({ request: mergeBase, body: JSON.stringify({ id }) });
    expect(await host.compare(commit, other, token)).toBe(answer);
  });

  it('check that both commits exist when there is no merge base', async () => {
    const seen = (one: string) => `GET ${project}/repository/commits/${one}?stats=false`;
    const none = { request: mergeBase, status: 404, body: '{"message":"404 Merge Base Not Found"}' };
    api.expect(none, { request: seen(sha), body: '{}' }, { request: seen(other), body: '{}' });
    expect(await host.compare(commit, other, token)).toBe('diverged');
    api.expect(none, { request: seen(sha), status: 404 });
    await expect(host.compare(commit, other, token)).rejects.toMatchObject({ retry: false });
  });

  it.each(['', '/', 'a//b', '../a', 'a/..', 'a b/c', Array(22).fill('g').join('/')])(
    'are not sent for the invalid owner %j',
    async (owner) => {
      await expect(host.file({ ...commit, owner }, 'f', null, 9)).rejects.toMatchObject({ retry: false });
    },
  );
});

describe('A status that GitLab rejects with 400 because it is already set', () => {
  const again = {
    request: setStatus,
    status: 400,
    body: '{"message":"Cannot transition status via :drop from :failed"}',
  };

  it('counts as set', async () => {
    api.expect(again, { request: standing, body: '[{"id":93,"name":"deploy/a","status":"failed"}]' });
    await expect(host.setStatus(commit, status, token)).resolves.toBeUndefined();
  });

  it.each(['[{"id":93,"name":"deploy/a","status":"running"}]', '[]'])(
    'is an error when the current status differs: %s',
    async (body) => {
      api.expect(again, { request: standing, body });
      await expect(host.setStatus(commit, status, token)).rejects.toMatchObject({
        code: 'request:failed',
        retry: false,
        detail: expect.stringContaining('Cannot transition'),
      });
    },
  );
});

describe('Error responses of GitLab', () => {
  const reset = String(Math.ceil(Date.now() / 1000) + 900);
  it.each([
    ['with Retry-After', { 'retry-after': '17' }, 17, 17],
    ['with the time at which the limit ends', { 'ratelimit-remaining': '0', 'ratelimit-reset': reset }, 600, 901],
    ['with the seconds until then', { 'ratelimit-remaining': '0', 'ratelimit-reset': '25' }, 25, 25],
    ['without a time, as for archives', {}, 60, 60],
  ])('are retryable for a rate limit: 429 %s', async (_, headers, least, most) => {
    api.expect({ request: archive, status: 429, headers, body: '{"message":{"error":"too many"}}' });
    const error = await host.tarball(commit, token, signal).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'deploy:repohost:download_tarball', retry: true });
    const { retryAfter } = error as { retryAfter: number };
    expect(retryAfter).toBeGreaterThanOrEqual(least);
    expect(retryAfter).toBeLessThanOrEqual(most);
  });

  it.each([
    [401, '{"message":"401 Unauthorized"}', '(401 Unauthorized)'],
    [403, '{"error":"insufficient_scope"}', '(insufficient_scope)'],
    [404, '{"message":"404 Project Not Found"}', 'may the paired token see it'],
  ])('are not retryable for %i and say what to do', async (status, body, words) => {
    api.expect({ request: archive, status, body });
    const refused = host.tarball(commit, token, signal);
    await expect(refused).rejects.toMatchObject({ retry: false, detail: expect.stringContaining(words) });
    await expect(refused).rejects.toMatchObject({ detail: expect.stringContaining('POST /1/auth/work') });
  });

  it('do not forward the token when they redirect to another host', async () => {
    api.expect({ request: archive, status: 302, headers: { location: `${files.url}/cache/1` } });
    files.expect({ request: 'GET /cache/1', body: 'tar' });
    for await (const _ of await host.tarball(commit, token, signal));
    expect(api.received[0]?.headers).toHaveProperty('private-token', token);
    expect(files.received[0]?.headers).not.toHaveProperty('private-token');
  });
});

describe('Pairing with GitLab', () => {
  const user = { request: 'GET /api/v4/user', body: '{"id":1,"username":"octo"}' };
  const self = 'GET /api/v4/personal_access_tokens/self';

  it('returns the scopes and the expiry of the token', async () => {
    api.expect(user, { request: self, body: '{"scopes":["api","read_user"],"expires_at":"2027-01-30","active":true}' });
    expect(await host.pair('Octo', token)).toEqual({
      login: 'octo',
      token,
      scopes: ['api', 'read_user'],
      expiresAt: '2027-01-30T00:00:00.000Z',
    });
  });

  it('works with versions that have no endpoint for the token itself', async () => {
    api.expect(user, { request: self, status: 404 });
    expect(await host.pair('octo', token)).toMatchObject({ scopes: [], expiresAt: null });
  });

  it.each([
    [
      'a wrong or expired token, or a password',
      [{ request: user.request, status: 401 }],
      /expired.*password.*scope api/,
    ],
    ['a token without rights', [{ request: user.request, status: 403 }], /lacks scopes/],
    [
      'a token with too few scopes',
      [user, { request: self, body: '{"scopes":["read_api"]}' }],
      /\(read_api\) are not sufficient: it needs api/,
    ],
  ])('rejects %s and says what is needed', async (_, exchanges, words) => {
    api.expect(...exchanges);
    await expect(host.pair('octo', token)).rejects.toMatchObject({
      code: 'auth:repohost:github_pairing_failed',
      retry: false,
      detail: expect.stringMatching(words),
    });
  });

  it('is retryable when GitLab is down or responds with something invalid, which is not quoted', async () => {
    api.expect({ request: user.request, status: 502, body: JSON.stringify({ message: token }) });
    api.expect({ request: user.request, body: '{}' }, user, { request: self, body: '{}' });
    await expect(host.pair('octo', token)).rejects.toMatchObject({
      retry: true,
      detail: expect.not.stringContaining(token),
    });
    await expect(host.pair('octo', token)).rejects.toMatchObject({ retry: true });
    await expect(host.pair('octo', token)).rejects.toMatchObject({ retry: true });
  });
});

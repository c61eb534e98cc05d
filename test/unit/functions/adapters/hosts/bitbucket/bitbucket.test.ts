import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHost } from '../../../../../../functions/adapters/hosts/open-hosts.ts';
import { bitbucket } from '../../../../../../functions/adapters/hosts/registry.ts';
import type { Host } from '../../../../../../functions/core/ports/repository-host.ts';
import { type StrictServer, strictServer } from '../../../../../support/hosts/strict-server.ts';

const sha = '1'.repeat(40);
const commit = { host: 'bitbucket', owner: 'team', name: 'hello', sha };
const token = 'octo@example.com:ATATT-averysecrettoken';
const repository = '/2.0/repositories/team/hello';
const status = { state: 'error', targetUrl: 'https://d.test/1', description: 'late', context: 'deploy/a' } as const;
const build = `POST ${repository}/commit/${sha}/statuses/build`;
const tarball = `GET /team/hello/get/${sha}.tar.gz`;
const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;

let api: StrictServer;
let web: StrictServer;
let host: Host;
beforeEach(async () => {
  [api, web] = await Promise.all([strictServer(), strictServer()]);
  host = openHost(bitbucket, {
    name: 'bb',
    api: `${api.url}/2.0`,
    web: web.url,
    userAgent: 'deployment-webhooks/1.0.0',
  });
});
afterEach(async () => {
  await Promise.all([api.close(), web.close()]);
});

describe('Requests to Bitbucket', () => {
  it('authenticate with Basic for a token with an e-mail address, and with Bearer for a token alone', async () => {
    const request = `GET ${repository}/src/${sha}/package.json`;
    api.expect({ request, body: '{}' }, { request, body: '{}' });
    await host.file(commit, 'package.json', token, 100);
    await host.file(commit, 'package.json', 'access-token', 100);
    expect(api.received.map(({ headers }) => headers.authorization)).toEqual([basic(token), 'Bearer access-token']);
  });

  it("set a status with Bitbucket's names of states", async () => {
    api.expect({ request: build, status: 201, body: '{}' });
    await host.setStatus(commit, status, token);
    const { targetUrl: url, description, context: name } = status;
    expect(JSON.parse(api.received[0]?.body ?? '')).toEqual({ key: name, state: 'STOPPED', url, name, description });
  });

  it('set a status with a unique key of at most 40 characters', async () => {
    const long = { ...status, context: `deployment-webhooks/@some-scope/${'a'.repeat(40)}` };
    api.expect(...[1, 2, 3].map(() => ({ request: build, status: 200, body: '{}' })));
    await host.setStatus(commit, long, token);
    await host.setStatus(commit, { ...long, state: 'success' }, token);
    await host.setStatus(commit, { ...long, context: `${long.context}b` }, token);
    const keys = api.received.map(({ body }): string => JSON.parse(body).key);
    expect(keys.every((key) => key.length <= 40)).toBe(true);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[0]);
  });
});

describe('The tarball of Bitbucket', () => {
  it('is fetched from the web pages with the credentials that git uses', async () => {
    web.expect({ request: tarball, body: 'tar' });
    expect(await bytes(host.tarball(commit, token, signal()))).toBe('tar');
    expect(web.received[0]?.headers.authorization).toBe(basic('x-bitbucket-api-token-auth:ATATT-averysecrettoken'));
  });

  it.each([401, 403, 404])('is requested again with the credentials of the API after a %i', async (refused) => {
    web.expect({ request: tarball, status: refused }, { request: tarball, body: 'tar' });
    expect(await bytes(host.tarball(commit, token, signal()))).toBe('tar');
    expect(web.received[1]?.headers.authorization).toBe(basic(token));
  });

  it('is requested again with the credentials of the API after a redirect to a login page', async () => {
    const login = { location: 'https://id.example.com/login' };
    web.expect({ request: tarball, status: 302, headers: login }, { request: tarball, body: 'tar' });
    expect(await bytes(host.tarball(commit, token, signal()))).toBe('tar');
    web.expect({ request: tarball, status: 302, headers: login });
    await expect(host.tarball(commit, null, signal())).rejects.toMatchObject({
      retry: false,
      detail: expect.stringContaining('id.example.com is not one of the hosts'),
    });
  });

  it('fails with an error that says what to do when both credentials are rejected', async () => {
    web.expect({ request: tarball, status: 404 }, { request: tarball, status: 404, body: '<html>' });
    await expect(host.tarball(commit, token, signal())).rejects.toMatchObject({
      code: 'deploy:repohost:download_tarball',
      retry: false,
      detail: expect.stringContaining('POST /1/auth/bb'),
    });
  });

  it('fails with a retryable error for a rate limit, without a second request', async () => {
    web.expect({ request: tarball, status: 429 });
    await expect(host.tarball(commit, token, signal())).rejects.toMatchObject({ retry: true, retryAfter: 60 });
  });

  it('is fetched from a redirect target without the token', async () => {
    web.expect({ request: tarball, status: 302, headers: { location: `${api.url}/2.0/elsewhere` } });
    api.expect({ request: 'GET /2.0/elsewhere', body: 'tar' });
    expect(await bytes(host.tarball(commit, token, signal()))).toBe('tar');
    expect(api.received[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('Pairing with Bitbucket', () => {
  const user = { request: 'GET /2.0/user', body: '{"username":"octo","nickname":"Octo","display_name":"O"}' };

  it('stores the e-mail address with the token, which does not work without it', async () => {
    const headers = { 'x-oauth-scopes': 'read:repository:bitbucket, write:repository:bitbucket' };
    api.expect({ ...user, headers });
    expect(await host.pair('octo@example.com', 'ATATT-averysecrettoken')).toEqual({
      login: 'octo',
      token,
      scopes: ['read:repository:bitbucket', 'write:repository:bitbucket'],
      expiresAt: null,
    });
    expect(api.received[0]?.headers.authorization).toBe(basic(token));
  });

  it.each([
    ['octo@example.com', { request: user.request, status: 401 }, /app passwords do not work.*<email>:<token>/],
    ['octo@example.com', { ...user, headers: { 'x-oauth-scopes': 'account' } }, /it needs read:repository:bitbucket/],
    ['melon', user, /another user/],
  ])('rejects %s and says what is needed', async (login, exchange, words) => {
    api.expect(exchange);
    await expect(host.pair(login, 'ATATT-averysecrettoken')).rejects.toMatchObject({
      code: 'auth:repohost:github_pairing_failed',
      retry: false,
      detail: expect.stringMatching(words),
    });
  });
});

async function bytes(body: Promise<AsyncIterable<Uint8Array>>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function signal(): AbortSignal {
  return new AbortController().signal;
}

describe('The whole id of a commit at Bitbucket', () => {
  const digits = sha.slice(0, 12);
  const request = `GET ${repository}/commit/${digits}`;

  it.each([
    ['404', { status: 404 }, false, /answered 404 to the request for the commit 1{12} of team\/hello/],
    ['403', { status: 403 }, false, /may the paired token see it/],
    ['400, for digits of several', { status: 400 }, false, /answered 400/],
    ['a rate limit', { status: 429, headers: { 'retry-after': '7' } }, true, /pause/],
    ['503', { status: 503 }, true, /answered 503/],
    ['another commit', { body: JSON.stringify({ hash: '2'.repeat(40) }) }, true, /could not be understood/],
    ['12 digits', { body: JSON.stringify({ hash: digits }) }, true, /could not be understood/],
    ['no JSON', { body: '<html>' }, true, /could not be understood/],
  ])('is not known from %s', async (_what, answer, retry, detail) => {
    api.expect({ request, ...answer });
    const refused = { code: 'deploy:repohost:no_pkg_json', retry, detail: expect.stringMatching(detail) };
    await expect(host.wholeCommit(commit, digits, token)).rejects.toMatchObject(refused);
  });
});

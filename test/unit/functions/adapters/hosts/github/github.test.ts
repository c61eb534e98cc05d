import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openHost } from '../../../../../../functions/adapters/hosts/open-hosts.ts';
import { github } from '../../../../../../functions/adapters/hosts/registry.ts';
import type { Host } from '../../../../../../functions/core/ports/repository-host.ts';
import { type StrictServer, strictServer } from '../../../../../support/hosts/strict-server.ts';

const sha = '1'.repeat(40);
const other = '2'.repeat(40);
const commit = { host: 'github', owner: 'octocat', name: 'Hello-World', sha };
const token = 'ghp_averysecrettoken';
const { signal } = new AbortController();
const contents = `/repos/octocat/Hello-World/contents/package.json?ref=${sha}`;
const tarball = `/repos/octocat/Hello-World/tarball/${sha}`;
const notFound = { status: 404, body: '{"message":"Not Found","documentation_url":"https://docs.github.com/rest"}' };

let api: StrictServer;
let codeload: StrictServer;
let host: Host;

beforeEach(async () => {
  [api, codeload] = await Promise.all([strictServer(), strictServer()]);
  host = hostWith({});
});
afterEach(async () => {
  await Promise.all([api.close(), codeload.close()]);
});

/** A test that waits for one timeout shortens only that one, so that a busy machine cannot run into another. */
function hostWith(shorter: { readonly firstByteMs?: number; readonly idleMs?: number }): Host {
  return openHost(github, {
    name: 'github',
    api: api.url,
    web: api.url,
    userAgent: 'deployment-webhooks/1.0.0',
    downloadHosts: [codeload.host],
    timeouts: { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000, ...shorter },
  });
}

describe('Requests to GitHub', () => {
  it('ask for raw files and send User-Agent, API version and token', async () => {
    api.expect({ request: `GET ${contents}`, body: '{}' });
    await host.file(commit, 'package.json', token, 100);
    expect(api.received[0]?.headers).toMatchObject({
      accept: 'application/vnd.github.raw+json',
      'user-agent': 'deployment-webhooks/1.0.0',
      'x-github-api-version': '2022-11-28',
      authorization: `Bearer ${token}`,
    });
  });

  it('have no Authorization header without a token', async () => {
    api.expect({ request: `GET ${contents}`, body: '{}' });
    await host.file(commit, 'package.json', null, 100);
    expect(api.received[0]?.headers).not.toHaveProperty('authorization');
  });

  it('set a status with the fields that GitHub documents', async () => {
    api.expect({ request: `POST /repos/octocat/Hello-World/statuses/${sha}`, status: 201, body: '{"id":1}' });
    const status = { state: 'success', targetUrl: 'https://d.test/1', description: 'up', context: 'c/app' } as const;
    await host.setStatus(commit, status, token);
    expect(JSON.parse(api.received[0]?.body ?? '')).toEqual({
      state: 'success',
      target_url: 'https://d.test/1',
      description: 'up',
      context: 'c/app',
    });
  });

  it('ask for the second page of a comparison, because only the first one lists the files', async () => {
    const request = `GET /repos/octocat/Hello-World/compare/${sha}...${other}?per_page=1&page=2`;
    api.expect({ request, body: '{"status":"diverged","ahead_by":1,"behind_by":2,"commits":[]}' });
    expect(await host.compare(commit, other, null)).toBe('diverged');
  });

  it('are not sent when the token is not a valid header value', async () => {
    await expect(host.file(commit, 'package.json', 'a\r\nb', 100)).rejects.toMatchObject({ retry: false });
    await expect(host.pair('octocat', 'grüße')).rejects.toMatchObject({ retry: false });
  });
});

describe('A 404 for a file', () => {
  const visible = { request: `GET /repos/octocat/Hello-World/commits/${sha}`, body: sha };

  it('means that the file does not exist when the commit is visible, which is checked once', async () => {
    api.expect({ request: `GET ${contents}`, ...notFound }, visible, { request: `GET ${contents}`, ...notFound });
    expect(await host.file(commit, 'package.json', null, 100)).toBeNull();
    expect(await host.file(commit, 'package.json', null, 100)).toBeNull();
  });

  it('needs no check of the commit when another of its files was read before', async () => {
    const travis = `GET /repos/octocat/Hello-World/contents/.travis.yml?ref=${sha}`;
    api.expect({ request: `GET ${contents}`, body: '{}' }, { request: travis, ...notFound });
    await host.file(commit, 'package.json', null, 100);
    expect(await host.file(commit, '.travis.yml', null, 100)).toBeNull();
  });

  it('is checked again for another token, which may have less access', async () => {
    api.expect({ request: `GET ${contents}`, body: '{}' }, { request: `GET ${contents}`, ...notFound });
    api.expect({ ...visible, ...notFound });
    await host.file(commit, 'package.json', token, 100);
    await expect(host.file(commit, 'package.json', 'another', 100)).rejects.toMatchObject({ retry: false });
  });

  it('is an error that says what to do when the commit is not visible', async () => {
    api.expect({ request: `GET ${contents}`, ...notFound }, { ...visible, ...notFound });
    await expect(host.file(commit, 'package.json', null, 100)).rejects.toMatchObject({
      detail: expect.stringMatching(
        /answered 404 \(Not Found\).*private repository\? Then pair a token with POST \/1\/auth\/github/,
      ),
    });
  });
});

describe('Error responses of GitHub', () => {
  const limited = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 900) };

  it.each([
    ['403 with Retry-After', 403, { 'retry-after': '17' }, 17, 17],
    ['429 with Retry-After', 429, { 'retry-after': '3' }, 3, 3],
    ['403 with the limit used up', 403, limited, 600, 901],
    ['429 with the limit used up', 429, limited, 600, 901],
    ['429 that says nothing more', 429, {}, 60, 60],
    ['503 with Retry-After', 503, { 'retry-after': '5' }, 5, 5],
  ])('set retryAfter for a rate limit: %s', async (_, status, headers, least, most) => {
    api.expect({ request: `GET ${contents}`, status, headers, body: '{"message":"API rate limit exceeded"}' });
    const error = await host.file(commit, 'package.json', null, 100).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'deploy:repohost:no_pkg_json', retry: true });
    expect(error).toHaveProperty('retryAfter', expect.any(Number));
    const { retryAfter } = error as { retryAfter: number };
    expect(retryAfter).toBeGreaterThanOrEqual(least);
    expect(retryAfter).toBeLessThanOrEqual(most);
  });

  it.each([
    [401, false, 'pair a new one'],
    [403, false, 'may the paired token see it'],
    [409, false, 'answered 409'],
    [500, true, 'may be temporary'],
    [502, true, 'may be temporary'],
  ])('with status %i are retryable or not and say what to do', async (status, retry, advice) => {
    api.expect({ request: `GET ${tarball}`, status, body: 'no json' });
    await expect(host.tarball(commit, token, signal)).rejects.toMatchObject({
      code: 'deploy:repohost:download_tarball',
      retry,
      retryAfter: undefined,
      detail: expect.stringContaining(advice),
    });
  });

  it('are quoted on one line without control characters, because they name the missing permission', async () => {
    const message = 'Resource not accessible by personal access token\\u001b[2J\\nmore';
    api.expect({
      request: `POST /repos/octocat/Hello-World/statuses/${sha}`,
      status: 403,
      body: `{"message":"${message}"}`,
    });
    const status = { state: 'error', targetUrl: 'https://d.test', description: '', context: 'c' } as const;
    const error = await host.setStatus(commit, status, token).catch((caught: unknown) => caught);
    expect(error).toHaveProperty(
      'detail',
      expect.stringContaining('(Resource not accessible by personal access token'),
    );
    expect(error).not.toHaveProperty('detail', expect.stringMatching(/\p{Cc}|more/u));
  });

  it('never lead to an error that contains the token, even in its cause', async () => {
    api.expect({ request: `GET ${contents}`, status: 500, body: '{}' });
    const answered = await host.file(commit, 'package.json', token, 100).catch((caught: unknown) => caught);
    const hangUp = { request: `GET ${tarball}`, answer: (response: ServerResponse) => void response.destroy() };
    api.expect(hangUp, hangUp);
    const broken = await host.tarball(commit, token, signal).catch((caught: unknown) => caught);
    for (const error of [answered, broken]) expect(inspect(error, { depth: null })).not.toContain(token);
  });
});

describe('The tarball of GitHub', () => {
  const link = `/octocat/Hello-World/legacy.tar.gz/${sha}?token=ABC`;
  const redirect = () => ({ request: `GET ${tarball}`, status: 302, headers: { location: `${codeload.url}${link}` } });

  it('is fetched from the redirect target without the token', async () => {
    api.expect(redirect());
    codeload.expect({ request: `GET ${link}`, body: 'tar' });
    expect(await text(await host.tarball(commit, token, signal))).toBe('tar');
    expect(api.received[0]?.headers.authorization).toBe(`Bearer ${token}`);
    expect(codeload.received[0]?.headers).not.toHaveProperty('authorization');
  });

  it('is fetched with the token when a renamed repository redirects to the same host', async () => {
    api.expect({ request: `GET ${tarball}`, status: 301, headers: { location: '/repositories/1/tarball' } });
    api.expect({ request: 'GET /repositories/1/tarball', body: 'tar' });
    expect(await text(await host.tarball(commit, token, signal))).toBe('tar');
    expect(api.received[1]?.headers.authorization).toBe(`Bearer ${token}`);
  });

  it.each([
    ['another host', 'http://127.0.0.1:1/x', 'is not one of the hosts'],
    ['the metadata service', 'http://169.254.169.254/latest/meta-data/', 'is not one of the hosts'],
    ['a file', 'file:///etc/passwd', 'is not called'],
    ['nowhere', 'http://[', 'not an address'],
  ])('fails with a non-retryable error when GitHub redirects to %s', async (_, location, why) => {
    api.expect({ request: `GET ${tarball}`, status: 302, headers: { location } });
    await expect(host.tarball(commit, token, signal)).rejects.toMatchObject({
      retry: false,
      detail: expect.stringContaining(why),
    });
  });

  it('describes a repository, also one without commits', async () => {
    const [request, url] = ['GET /repos/octocat/Hello-World', 'https://github.com/octocat/Hello-World'];
    api.expect({ request, body: JSON.stringify({ id: 501, default_branch: 'main', html_url: url, private: true }) });
    expect(await host.repository(commit, token)).toEqual({ id: '501', defaultBranch: 'main', private: true, url });
    api.expect({ request, body: '{"default_branch":null}' });
    expect(await host.repository(commit, token)).toEqual({ defaultBranch: null, private: false, url: null });
    api.expect({ request, status: 404, body: '{}' });
    await expect(host.repository(commit, token)).rejects.toMatchObject({ code: 'deploy:repohost:no_pkg_json' });
  });

  it('fails after too many redirects', async () => {
    for (let hop = 0; hop <= 5; hop += 1) {
      api.expect({ request: `GET ${tarball}`, status: 302, headers: { location: tarball } });
    }
    await expect(host.tarball(commit, token, signal)).rejects.toMatchObject({
      retry: false,
      detail: expect.stringContaining('more than 5 times'),
    });
  });

  it('fails with a retryable error when the connection closes early', async () => {
    const half = { 'content-length': '1000' };
    api.expect({
      request: `GET ${tarball}`,
      answer: (response) =>
        response.writeHead(200, half).write('begin', () => setTimeout(() => response.destroy(), 20)),
    });
    await expect(text(await host.tarball(commit, null, signal))).rejects.toMatchObject({ retry: true });
  });

  it('fails with a retryable error when the host stalls before the first byte or in the middle', async () => {
    api.expect({ request: `GET ${tarball}`, answer: () => {} });
    await expect(hostWith({ firstByteMs: 150 }).tarball(commit, null, signal)).rejects.toMatchObject({
      retry: true,
      detail: expect.stringContaining('did not answer within 0.15 s'),
    });
    api.expect({ request: `GET ${tarball}`, answer: (response) => void response.writeHead(200).write('begin') });
    await expect(text(await hostWith({ idleMs: 150 }).tarball(commit, null, signal))).rejects.toMatchObject({
      retry: true,
      detail: expect.stringContaining('did not send more within 0.15 s'),
    });
  });

  it('is requested again when the host has closed the keep-alive connection', async () => {
    api.expect({ request: `GET ${contents}`, body: '{}' });
    await host.file(commit, 'package.json', null, 100);
    api.expect({ request: `GET ${tarball}`, answer: (response) => void response.destroy() });
    api.expect({ request: `GET ${tarball}`, body: 'tar' });
    expect(await text(await host.tarball(commit, null, signal))).toBe('tar');
  });

  it('is streamed with backpressure for a slow reader', async () => {
    api.expect({ request: `GET ${tarball}`, body: Buffer.alloc(3_000_000, 'x') });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let bytes = 0;
    for await (const chunk of await hostWith({ idleMs: 150 }).tarball(commit, null, signal)) {
      if (bytes === 0) await vi.advanceTimersByTimeAsync(400);
      bytes += chunk.byteLength;
    }
    expect(bytes).toBe(3_000_000);
  });

  it('closes the connection when the reader stops early', async () => {
    const closed = new Promise<void>((resolve) => {
      const answer: (response: ServerResponse) => void = (response) => {
        response.on('close', resolve).writeHead(200).write('begin');
      };
      api.expect({ request: `GET ${tarball}`, answer });
    });
    for await (const _ of await host.tarball(commit, null, signal)) break;
    await closed;
  });
});

describe('Pairing with GitHub', () => {
  it('returns the scopes and the expiry of a classic token', async () => {
    const headers = {
      'x-oauth-scopes': 'repo, read:user',
      'github-authentication-token-expiration': '2027-01-30 09:12:13 +0100',
    };
    api.expect({ request: 'GET /user', headers, body: '{"login":"octocat","id":1}' });
    expect(await host.pair('OctoCat', token)).toEqual({
      login: 'octocat',
      token,
      scopes: ['repo', 'read:user'],
      expiresAt: '2027-01-30T08:12:13.000Z',
    });
  });

  it('accepts a fine-grained token without scopes and reads its expiry in UTC', async () => {
    const headers = { 'github-authentication-token-expiration': '2027-01-30 09:12:13 UTC' };
    api.expect({ request: 'GET /user', headers, body: '{"login":"octocat"}' });
    expect(await host.pair('octocat', token)).toMatchObject({ scopes: [], expiresAt: '2027-01-30T09:12:13.000Z' });
  });

  it('says which kind of token is needed when GitHub rejects the secret', async () => {
    api.expect({ request: 'GET /user', status: 401, body: '{"message":"Bad credentials"}' });
    await expect(host.pair('octocat', 'a-password')).rejects.toMatchObject({
      code: 'auth:repohost:github_pairing_failed',
      retry: false,
      detail: expect.stringMatching(/personal access token.*Contents: read.*Commit statuses.*scope repo/),
    });
  });

  it('is retryable when GitHub is down, limits the rate, or responds with something invalid', async () => {
    api.expect({ request: 'GET /user', status: 502 }, { request: 'GET /user', status: 429 });
    api.expect({ request: 'GET /user', body: '<html>' });
    await expect(host.pair('octocat', token)).rejects.toMatchObject({ retry: true });
    await expect(host.pair('octocat', token)).rejects.toMatchObject({ retry: true, retryAfter: 60 });
    await expect(host.pair('octocat', token)).rejects.toMatchObject({ retry: true });
  });
});

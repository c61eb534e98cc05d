import { describe, expect, it } from 'vitest';
import { client, isLoopback, Problem } from '../../../../lib/client/client.ts';
import { apiServer, type Reply } from '../../../support/api-server.ts';

const login = { user: 'kiwi', secret: 'pässword:canary' };

async function answered(reply: Reply, options: object = {}) {
  const { url, received } = await apiServer(reply);
  const service = client({ url, ...login, ...options });
  const call = (request: object = {}) => service.call({ path: ['apps', '@a/b'], ...request });
  return { call, received, lines: () => service.lines({ path: ['logs'] }).next() };
}

describe('a request', () => {
  it('has the login, the encoded path and the query, and a body with its type', async () => {
    const { call, received } = await answered({ status: 202, body: { ok: true } });
    expect(await call({ method: 'PUT', query: { a: 1, b: undefined }, body: { value: 'x' } })).toEqual({ ok: true });
    expect(received[0]).toMatchObject({ method: 'PUT', url: '/1/apps/%40a%2Fb?a=1', body: '{"value":"x"}' });
    expect(received[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('kiwi:pässword:canary').toString('base64')}`,
      'content-type': 'application/json',
    });
  });

  it('returns null for an answer without a body', async () => {
    expect(await (await answered({ status: 204, body: '' })).call()).toBeNull();
  });

  it('ends with an error when no answer comes', async () => {
    const { call } = await answered('silence', { timeoutMs: 30 });
    await expect(call()).rejects.toThrow('nothing came for 0.03 s');
  });

  it('ends when its signal aborts, or that of the client', async () => {
    const reason = new Error('left');
    await expect((await answered('silence', { signal: AbortSignal.abort(reason) })).call()).rejects.toBe(reason);
    const { call } = await answered('silence');
    await expect(call({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('a refusal', () => {
  it('is the problem document of the service', async () => {
    const body = { code: 'request:throttled', title: 'Too many.', detail: 'Wait.' };
    const { call } = await answered({ status: 429, body, headers: { 'retry-after': '7' } });
    const problem = await call().catch((error: Problem) => error);
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ status: 429, ...body, retryAfterMs: 7000, isLogin: false, isPassing: true });
    expect((problem as Problem).message).toBe('it answered 429 (request:throttled): Wait.');
  });

  it.each([
    ['mw:auth:unauthorized', { 'www-authenticate': 'Basic' }, true],
    ['mw:auth:not_you', { 'www-authenticate': 'Basic' }, false],
    ['auth:repohost:github_pairing_failed', {}, false],
  ])('with 401 %s and %j is one of the login: %s', async (code, headers, isLogin) => {
    const { call } = await answered({ status: 401, body: { code }, headers });
    await expect(call()).rejects.toMatchObject({ isLogin, isPassing: false });
  });

  it.each([
    { status: 200, body: '<form>', headers: { 'content-type': 'text/html' } },
    { status: 502, body: '<html>Bad gateway</html>' },
    { status: 302, body: '', headers: { location: 'http://127.0.0.1:9/' } },
  ])('has no code when something else has answered: %j', async (reply) => {
    await expect((await answered(reply)).call()).rejects.toMatchObject({ status: reply.status, code: null });
    await expect((await answered(reply)).lines()).rejects.toMatchObject({ status: reply.status, code: null });
  });
});

it.each([
  ['http://localhost:8080', true],
  ['http://127.0.0.2/', true],
  ['http://[::1]:8080', true],
  ['http://127.example.com', false],
  ['https://deploy.example.com', false],
])('knows whether %s leads to this machine: %s', (url, expected) => {
  expect(isLoopback(url)).toBe(expected);
});

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { httpPlatform } from '../../../../../../functions/adapters/platform/http/hosting.ts';
import { basicHeader } from '../../../../../../functions/core/basic-auth.ts';
import type { HostingPlatform } from '../../../../../../functions/core/ports/platform.ts';
import { uploadOf } from '../../../../../contracts/hosting-platform.ts';
import { apiServer, type Reply, server } from '../../../../../support/api-server.ts';
import { failure } from '../../../../../support/platform/failure.ts';

const serviceToken = 'service-token-of-the-tests';
const authorization = basicHeader(`kiwi:${serviceToken}`);
const shop = { user: 'kiwi', app: 'shop', snapshot: '1.0.0-7' };
const running = { status: 200, body: { state: 'running', url: 'http://127.0.0.1:4000', snapshot: '1.0.0-7' } };

async function setUp(...replies: readonly Reply[]) {
  const api = await apiServer(...replies);
  const short = { callMs: 300, uploadMs: 600, cancelMs: 400, startMs: 900 };
  const timeouts = replies.includes('silence') ? short : {};
  const platform = httpPlatform({ url: api.url, serviceToken, timeouts });
  return { api, platform };
}

/** The calls, each as the stages make it. */
const calls: Record<keyof HostingPlatform, (platform: HostingPlatform) => Promise<unknown>> = {
  ensureApp: (platform) => platform.ensureApp(shop, { name: 'shop' }),
  upload: (platform) => platform.upload(shop, uploadOf(Buffer.from('tarball'))),
  activate: (platform) => platform.activate(shop),
  poll: (platform) => platform.poll(shop),
  cancel: (platform) => platform.cancel(shop),
  start: (platform) => platform.start(shop),
};
const codes = {
  ensureApp: 'deploy:platform:upload_tarball',
  upload: 'deploy:platform:upload_tarball',
  activate: 'deploy:tar:extract_failed',
  poll: 'deploy:tar:extract_failed',
  cancel: 'deploy:tar:extract_failed',
  start: 'deploy:platform:start_app',
} as const;
const methods = ['ensureApp', 'upload', 'activate', 'poll', 'cancel', 'start'] as const;

describe('a call of the platform API', () => {
  it('authenticates as the user with the service token', async () => {
    const { api, platform } = await setUp({ status: 200 });
    await platform.activate(shop);
    expect(api.received[0]?.headers).toMatchObject({ authorization, accept: 'application/json' });
  });

  it('names the folder of the application when that is not the root, and the number of the deploy', async () => {
    const { api, platform } = await setUp({ status: 202 }, { status: 202 });
    await platform.activate(shop);
    await platform.activate(shop, 'packages/web', 7);
    expect(api.received.map(({ body }) => body)).toEqual(['', '{"path":"packages/web","deploy":7}']);
  });

  it('keeps the path of the base address and encodes the names', async () => {
    const api = await apiServer({ status: 202 });
    const platform = httpPlatform({ url: `${api.url}/platform/v1//`, serviceToken });
    await platform.activate({ user: 'k/i', app: '@scope/shop', snapshot: '1+2' });
    expect(api.received[0]?.url).toBe('/platform/v1/apps/k%2Fi/%40scope%2Fshop/snapshots/1%2B2/activate');
  });

  it.each(['..', '.', ''])('is not made for the name %j, which would resolve to another path', async (name) => {
    const { api, platform } = await setUp();
    expect(await failure(platform.activate({ ...shop, app: name }))).toMatchObject({ retry: false });
    expect(api.received).toEqual([]);
  });

  it('does not send the token to the target of a redirect', async () => {
    const elsewhere = await apiServer({ status: 200 });
    const { platform } = await setUp({ status: 307, headers: { location: elsewhere.url } });
    expect(await failure(platform.activate(shop))).toMatchObject({ retry: false });
    expect(elsewhere.received).toEqual([]);
  });

  it.each(['ftp://example.com', 'platform', 'https://kiwi:hunter2@example.com'])(
    'requires an http address without credentials and refuses %s',
    (url) => {
      const make = () => httpPlatform({ url, serviceToken });
      expect(make).toThrow('without credentials');
      expect(make).not.toThrow('hunter2');
    },
  );
});

describe('ensuring an application', () => {
  it('sends the manifest with PUT', async () => {
    const { api, platform } = await setUp({ status: 200 });
    await platform.ensureApp(shop, { name: 'shop', version: '1.0.0' });
    expect(api.received).toMatchObject([
      { method: 'PUT', url: '/apps/kiwi/shop', body: '{"name":"shop","version":"1.0.0"}' },
    ]);
    expect(api.received[0]?.headers['content-type']).toBe('application/json');
  });

  it('says that one which it creates may sleep', async () => {
    const { api, platform } = await setUp({ status: 404 }, { status: 201 });
    await platform.ensureApp(shop, { name: 'shop' }, { maySleep: true });
    expect(api.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'PUT /apps/kiwi/shop?web=auto',
      'POST /apps/kiwi/shop?web=auto',
    ]);
  });

  it('creates the application with POST when PUT answers 404', async () => {
    const { api, platform } = await setUp({ status: 404 }, { status: 201 });
    await platform.ensureApp(shop, { name: 'shop' });
    expect(api.received.map(({ method }) => method)).toEqual(['PUT', 'POST']);
  });

  it('sends PUT again when another deploy has just created the application', async () => {
    const { api, platform } = await setUp({ status: 404 }, { status: 409 }, { status: 200 });
    await platform.ensureApp(shop, { name: 'shop' });
    expect(api.received.map(({ method }) => method)).toEqual(['PUT', 'POST', 'PUT']);
  });
});

describe('polling', () => {
  it.each([
    [{ state: 'pending' }, { state: 'building' }],
    [{ state: 'building', reason: null, log: [] }, { state: 'building' }],
    [{ state: 'ready', reason: null, log: ['added 3 packages'] }, { state: 'ready' }],
    [
      { state: 'failed', reason: 'npm ended with 1.', log: ['a', 'b'] },
      { state: 'failed', reason: 'npm ended with 1.', log: ['a', 'b'] },
    ],
    [
      { state: 'ready', note: 'It began again.', log: [] },
      { state: 'ready', note: 'It began again.' },
    ],
    [
      { state: 'failed', reason: 'npm ended with 1.', note: 'It began again.', log: [] },
      { state: 'failed', reason: 'npm ended with 1. It began again.', log: [] },
    ],
    [
      { state: 'failed', log: 'a\r\nb\n' },
      { state: 'failed', reason: expect.stringMatching(/why/), log: ['a', 'b'] },
    ],
  ])('reads the state in %j', async (body, expected) => {
    const { api, platform } = await setUp({ status: 200, body });
    expect(await platform.poll(shop)).toEqual(expected);
    expect(api.received).toMatchObject([{ method: 'GET', url: '/apps/kiwi/shop/snapshots/1.0.0-7', body: '' }]);
  });

  it('asks the platform to wait, and extends its own timeout by that time', async () => {
    const { api, platform } = await setUp({ status: 200, body: { state: 'ready' } });
    await platform.poll(shop, 20);
    expect(api.received).toMatchObject([{ method: 'GET', url: '/apps/kiwi/shop/snapshots/1.0.0-7?wait=20' }]);
  });

  it.each(['<html>Welcome</html>', '[]', '{"state":"dreaming"}'])(
    'fails with a retryable error on the response %s',
    async (body) => {
      const { platform } = await setUp({ status: 200, body });
      expect(await failure(platform.poll(shop))).toMatchObject({ code: 'deploy:tar:extract_failed', retry: true });
    },
  );

  it('keeps the last 100 lines of a long log, and 1000 characters of each', async () => {
    const log = Array.from({ length: 250 }, (_, line) => `${line} ${'x'.repeat(2000)}`);
    const { platform } = await setUp({ status: 200, body: { state: 'failed', reason: 'No.', log } });
    const activation = await platform.poll(shop);
    const lines = activation.state === 'failed' ? activation.log : [];
    expect(lines).toHaveLength(100);
    expect(lines.at(-1)).toMatch(/^249 x/);
    expect(lines.at(-1)).toHaveLength(1000);
  });
});

describe('a start', () => {
  it('sends the snapshot’s id and returns the application’s address', async () => {
    const { api, platform } = await setUp(running);
    expect(await platform.start(shop)).toEqual({ url: 'http://127.0.0.1:4000' });
    expect(api.received).toMatchObject([
      { method: 'POST', url: '/apps/kiwi/shop/start', body: '{"snapshot":"1.0.0-7"}' },
    ]);
  });

  it('reads the address from the application when the response has none', async () => {
    const { api, platform } = await setUp({ status: 200, body: '' }, running);
    expect(await platform.start(shop)).toEqual({ url: 'http://127.0.0.1:4000' });
    expect(api.received[1]).toMatchObject({ method: 'GET', url: '/apps/kiwi/shop' });
  });

  it('fails when another snapshot runs', async () => {
    const other = { status: 200, body: { url: 'http://127.0.0.1:4000', snapshot: '1.0.0-6' } };
    const { platform } = await setUp(other);
    expect(await failure(platform.start(shop))).toMatchObject({ code: 'deploy:platform:start_app', retry: true });
  });

  it.each(['javascript:alert(1)', 'not an address', 7])('fails when the address is %j', async (url) => {
    const { platform } = await setUp({ status: 200, body: { url } }, { status: 200, body: { url } });
    expect(await failure(platform.start(shop))).toMatchObject({ code: 'deploy:platform:start_app' });
  });

  it('has its own, longer timeout', async () => {
    const url = await server((_request, response) => {
      setTimeout(() => response.end(JSON.stringify(running.body)), 250);
    });
    const platform = httpPlatform({ url, serviceToken, timeouts: { callMs: 50, startMs: 50_000 } });
    expect(await platform.start(shop)).toEqual({ url: 'http://127.0.0.1:4000' });
  });

  it('is not retryable when the application failed, and has the platform’s message and log', async () => {
    const body = { error: 'The application ended with 1 before it answered.', log: ['no database'] };
    const { platform } = await setUp({ status: 500, body });
    expect(await failure(platform.start(shop))).toMatchObject({
      code: 'deploy:platform:start_app',
      retry: false,
      detail: 'The application ended with 1 before it answered.',
      logTail: ['no database'],
    });
  });

  it('is retryable when the platform answers 500 without a message', async () => {
    const { platform } = await setUp({ status: 500, body: 'Internal Server Error' });
    expect(await failure(platform.start(shop))).toMatchObject({ retry: true });
  });
});

describe.each(methods)('a failed %s', (method) => {
  it.each([
    [400, false],
    [401, false],
    [403, false],
    [410, false],
    [413, false],
    [501, false],
    [408, true],
    [429, true],
    [502, true],
    [503, true],
    [504, true],
  ])('has the code of the call when the platform answers %i, retryable: %s', async (status, retry) => {
    const reply = { status, body: { error: 'So it is.', log: ['a line'] } };
    const { platform } = await setUp(reply);
    const error = await failure(calls[method](platform));
    expect(error).toMatchObject({ code: codes[method], retry, logTail: ['a line'] });
    expect(error.detail).toMatch(new RegExp(`^The platform refused .*\\(${status}\\): So it is\\.$`));
  });

  it('keeps the delay of Retry-After', async () => {
    const { platform } = await setUp({ status: 429, headers: { 'retry-after': '7' } });
    expect(await failure(calls[method](platform))).toMatchObject({ retry: true, retryAfter: 7 });
  });

  it('is retryable when the platform does not answer in time', async () => {
    const { platform } = await setUp('silence');
    const error = await failure(calls[method](platform));
    expect(error).toMatchObject({ code: codes[method], retry: true });
    expect(error.detail).toMatch(/did not answer .* within 0\.\d seconds\.$/);
  });

  it('is retryable when the connection is refused', async () => {
    const platform = httpPlatform({ url: 'http://127.0.0.1:1', serviceToken });
    expect(await failure(calls[method](platform))).toMatchObject({ code: codes[method], retry: true });
  });

  it('never has the service token in its error', async () => {
    const { platform } = await setUp({ status: 500, body: { error: 'No.' } });
    const refused = await failure(calls[method](platform));
    const unanswered = await failure(calls[method](httpPlatform({ url: 'http://127.0.0.1:1', serviceToken })));
    const shown = inspect([refused, unanswered], { depth: 20, showHidden: true });
    expect(shown).not.toContain(serviceToken);
    expect(shown).not.toContain(authorization.slice('Basic '.length));
  });

  it('has a detail of one line when the platform’s message has several', async () => {
    const { platform } = await setUp({
      status: 400,
      body: { error: `${'Long. '.repeat(200)}\nSecond line\u001b[31m` },
    });
    const { detail } = await failure(calls[method](platform));
    expect(detail).not.toMatch(/\p{Cc}/u);
    expect(detail.length).toBeLessThan(600);
  });
});

describe('a kept connection that the server has closed', () => {
  it.each(['ensureApp', 'activate', 'poll', 'cancel', 'start'] as const)(
    'makes %s repeat its request once',
    async (method) => {
      const ok = method === 'poll' ? { status: 200, body: { state: 'ready' } } : running;
      const { api, platform } = await setUp('hang up', ok);
      await calls[method](platform);
      expect(api.received).toHaveLength(2);
    },
  );

  it('fails the call when the second request fails too', async () => {
    const { api, platform } = await setUp('hang up', 'hang up');
    expect(await failure(platform.activate(shop))).toMatchObject({ retry: true });
    expect(api.received).toHaveLength(2);
  });

  it('fails an upload, whose bytes can be read only once', async () => {
    const { api, platform } = await setUp('hang up');
    expect(await failure(calls.upload(platform))).toMatchObject({ retry: true });
    expect(api.received).toHaveLength(1);
  });
});

describe('Retry-After', () => {
  it('is accepted as a date', async () => {
    const at = new Date(Date.now() + 300_000).toUTCString();
    const { platform } = await setUp({ status: 503, headers: { 'retry-after': at } });
    const { retryAfter } = await failure(platform.poll(shop));
    expect(retryAfter).toBeGreaterThan(200);
    expect(retryAfter).toBeLessThanOrEqual(300);
  });

  it.each(['soon', '-5'])('is ignored when it cannot be parsed: %s', async (header) => {
    const { platform } = await setUp({ status: 503, headers: { 'retry-after': header } });
    const { retryAfter } = await failure(platform.poll(shop));
    expect(retryAfter ?? 0).toBe(0);
  });
});

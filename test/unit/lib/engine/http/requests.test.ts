import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../../../../functions/api/http.ts';
import { DeployError } from '../../../../../functions/core/errors.ts';
import { version } from '../../../../../functions/core/version.ts';
import { trustedAddresses } from '../../../../../lib/http/trusted-addresses.ts';
import { ANN, answering, exchange, serveApi } from '../../../../support/engine/served-api.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const fine = answering(() => ({ status: 200, body: { fine: true } }));

/** Serves endpoints that keep the request. */
async function watched(...more: [Parameters<typeof serveApi>[1]?]) {
  const seen: HttpRequest[] = [];
  const endpoint = answering((request) => {
    seen.push(request);
    return { status: 200, body: { fine: true } };
  });
  return {
    api: await serveApi({ 'api-deploy': endpoint, 'api-status': endpoint, 'api-badge': endpoint }, ...more),
    seen,
  };
}

describe('the request that an endpoint gets', () => {
  it('has the parts of the request, decoded once', async () => {
    const { api, seen } = await watched();
    await fetch(`${api.url}/1/status/ann/webhooks/a%2540b/?x=1&x=2&y=a+b&__proto__=z`, {
      headers: { ...ANN, 'X-Test': 'yes', 'x-forwarded-proto': 'https' },
    });
    expect(seen[0]).toMatchObject({
      method: 'GET',
      resource: '/1/status/{user}/webhooks/{application}',
      path: '/1/status/ann/webhooks/a%2540b/',
      params: { user: 'ann', application: 'a%40b' },
      headers: { 'x-test': 'yes', host: `127.0.0.1:${api.port}` },
      base: `https://127.0.0.1:${api.port}`,
      user: 'ann',
    });
    expect(JSON.stringify(seen[0]?.query)).toBe('{"x":"2","y":"a b","__proto__":"z"}');
  });

  it('has the bytes of the body, whatever its type', async () => {
    const { api, seen } = await watched();
    const body = Buffer.from([0xff, 0x00]);
    await fetch(`${api.url}/1/deploy`, { method: 'POST', headers: ANN, body });
    const chunks = new ReadableStream({
      start: (to) => {
        for (const part of ['one', 'two']) to.enqueue(Buffer.from(part));
        to.close();
      },
    });
    await fetch(`${api.url}/1/deploy`, { method: 'POST', headers: ANN, body: chunks, duplex: 'half' });
    expect(seen.map((request) => Buffer.from(request.body).toString('latin1'))).toEqual(['\u00ff\u0000', 'onetwo']);
  });

  it.each([
    ['X-Forwarded-Proto: javascript', 'http://api.example:8080'],
    ['X-Forwarded-Proto: https, http', 'https://api.example:8080'],
    ['Host: evil.example"><script>', 'http://own'],
    ['Host: user@evil.example', 'http://own'],
    ['Host: ', 'http://own'],
    ['Host: [::1]:8080', 'http://[::1]:8080'],
    ['Host: my_app.ann.localhost:8080', 'http://my_app.ann.localhost:8080'],
  ])('has a base address that can be part of links, after %j', async (header, address) => {
    const { api, seen } = await watched();
    const host = header.startsWith('Host') ? [] : ['Host: api.example:8080'];
    await exchange(api, ['GET /ann/shop.svg HTTP/1.1', ...host, header, 'Connection: close', '', '']);
    expect(seen[0]?.base).toBe(address.replace('own', `127.0.0.1:${api.port}`));
    expect(seen[0]?.base).toContain(`//${seen[0]?.headers.host}`);
  });

  it('has the public address as its base when there is one', async () => {
    const { api, seen } = await watched({ publicUrl: 'https://deploy.example.com' });
    await fetch(`${api.url}/ann/shop.svg`);
    expect(seen[0]?.base).toBe('https://deploy.example.com');
  });

  it('is not told what a client says about its own client, unless that is a trusted proxy', async () => {
    const { api, seen } = await watched({ trusts: () => false });
    const forwarded = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https', forwarded: 'for=192.0.2.1' };
    await fetch(`${api.url}/ann/shop.svg`, { headers: forwarded });
    expect(seen[0]?.base).toMatch(/^http:/);
    expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => name.includes('forwarded'))).toEqual([]);
  });

  it.each([
    [undefined, '127.0.0.1'],
    [trustedAddresses(), '203.0.113.9'],
  ])(
    'comes to the login with the address of its connection, or of the client of a proxy',
    async (proxies, expected) => {
      const addresses: string[] = [];
      const authorize = async ({ address }: { address: string }) => {
        addresses.push(address);
        return { allowed: true, user: 'ann' } as const;
      };
      const { api } = await watched({ authorize, proxies });
      await fetch(`${api.url}/1/deploy`, { method: 'POST', headers: { 'x-forwarded-for': '192.0.2.1, 203.0.113.9' } });
      expect(addresses).toEqual([expected]);
    },
  );
});

describe('every answer', () => {
  it('has an id of its own, which a client cannot choose, and the version', async () => {
    const api = await serveApi({ 'api-badge': fine });
    const chosen = '22222222-2222-4222-8222-222222222222';
    const headers = { 'x-api-uuid': chosen, 'x-amzn-requestid': chosen };
    const answers = await Promise.all(
      ['/ann/shop.svg', '/ann/shop.svg', '/nothing', '/1/status/ann/webhooks'].map((path) =>
        fetch(api.url + path, { headers }),
      ),
    );
    const ids = answers.map((answer) => answer.headers.get('x-api-uuid'));
    expect(new Set([...ids, chosen]).size).toBe(5);
    for (const id of ids) expect(id).toMatch(UUID);
    expect(answers.map((answer) => answer.headers.get('x-api-version'))).toEqual(Array(4).fill(version));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 401]);
    await expect.poll(() => api.records.map(({ uuid }) => uuid).sort()).toEqual(ids.sort());
  });

  it('is sent as its endpoint made it', async () => {
    const api = await serveApi({
      'api-badge': answering(() => ({ status: 201, headers: { location: '/x' }, body: Buffer.from('made') })),
      'api-documents': answering(() => ({ status: 304, headers: { etag: '"1"' } })),
    });
    const made = await fetch(`${api.url}/ann/shop.svg`);
    expect([made.status, made.headers.get('location'), made.headers.get('content-length')]).toEqual([201, '/x', '4']);
    expect(await made.text()).toBe('made');
    const same = await fetch(`${api.url}/errors`);
    expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, '"1"', '']);
  });

  it('is a problem document with the cause in the log only, when the endpoint fails', async () => {
    const api = await serveApi({
      'api-badge': answering(() => {
        throw new Error('secret detail');
      }),
      'api-documents': answering(() => {
        throw new DeployError('request:throttled', 'Wait.', { retryAfter: 9 });
      }),
      'api-status': answering(() => ({ status: 200, headers: { bad: 'a\r\nb: c' } })),
    });
    const failed = await fetch(`${api.url}/ann/shop.svg`);
    const text = await failed.text();
    expect([failed.status, failed.headers.get('content-type')]).toEqual([500, 'application/problem+json']);
    expect(JSON.parse(text)).toMatchObject({ code: 'request:failed', uuid: failed.headers.get('x-api-uuid') });
    expect(text).not.toContain('secret detail');
    expect(api.traced).toEqual(['request failed']);
    await expect.poll(() => api.records[0]?.reason).toContain('secret detail');
    const limited = await fetch(`${api.url}/errors`);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '9']);
    expect((await fetch(`${api.url}/1/status/ann/webhooks`, { headers: ANN })).status).toBe(500);
  });

  it('is request:failed when the endpoint takes too long', async () => {
    const api = await serveApi({ 'api-badge': answering(() => new Promise(() => {})) }, { limits: { answerMs: 50 } });
    const late = await fetch(`${api.url}/ann/shop.svg`);
    expect([late.status, await late.json()]).toMatchObject([500, { code: 'request:failed' }]);
    await expect.poll(() => api.records[0]?.reason).toBe('api-badge did not answer in 50 ms');
  });
});

describe('a path or method that is not known', () => {
  it('is 404, or 405 with the methods of the path; HEAD has no body', async () => {
    const api = await serveApi({});
    const missing = await fetch(`${api.url}/1/nothing`, { method: 'POST', body: 'x' });
    expect([missing.status, await missing.json()]).toMatchObject([404, { code: 'request:not_found' }]);
    const wrong = await fetch(`${api.url}/1/deploy/`);
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await wrong.json()).toMatchObject({ code: 'request:method_not_allowed', status: 405 });
    const head = await fetch(`${api.url}/1/openapi.json`, { method: 'HEAD' });
    expect([head.status, head.headers.get('allow'), await head.text()]).toEqual([405, 'GET', '']);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
  });
});

describe('the login', () => {
  it('is asked for with its challenge, and any page may read the refusal', async () => {
    const api = await serveApi({ 'api-deploy': fine });
    const refused = await fetch(`${api.url}/1/deploy`, { method: 'POST', body: '{}' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Basic realm="deployment-webhooks", charset="UTF-8"');
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(await refused.json()).toMatchObject({ code: 'mw:auth:unauthorized', status: 401, detail: 'Say "please".' });
  });

  it('is of the user in the path, else mw:auth:not_you', async () => {
    const api = await serveApi({ 'api-status': fine });
    const other = await fetch(`${api.url}/1/status/bob/webhooks`, { headers: ANN });
    expect([other.status, await other.json()]).toMatchObject([401, { code: 'mw:auth:not_you' }]);
  });

  it('that cannot be checked now is request:throttled with Retry-After', async () => {
    const api = await serveApi({ 'api-deploy': fine }, { authorize: async () => ({ throttledSeconds: 4 }) });
    const refused = await fetch(`${api.url}/1/deploy`, { method: 'POST' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '4']);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('down'))],
    ['takes too long', () => new Promise<never>(() => {})],
  ])('is mw:auth:auth_server_down when its check %s', async (_, authorize) => {
    const api = await serveApi({ 'api-deploy': fine }, { authorize, limits: { answerMs: 50 } });
    const refused = await fetch(`${api.url}/1/deploy`, { method: 'POST', headers: ANN });
    expect([refused.status, await refused.json()]).toMatchObject([500, { code: 'mw:auth:auth_server_down' }]);
    expect(api.traced).toEqual(['login not checked']);
  });
});

describe('a page of another site', () => {
  const page = { ...ANN, origin: 'https://other.example', 'sec-fetch-site': 'cross-site' };

  it('cannot change anything with the login that a browser adds', async () => {
    const api = await serveApi({ 'api-deploy': fine });
    const refused = await fetch(`${api.url}/1/deploy`, { method: 'POST', headers: page });
    expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'deploy:auth:bad_creds' }]);
    expect(refused.headers.has('access-control-allow-origin')).toBe(false);
    const preflight = await fetch(`${api.url}/1/deploy`, { method: 'OPTIONS', headers: page });
    expect(preflight.status).toBe(405);
  });

  it('can when its origin is allowed, and read the answers', async () => {
    const api = await serveApi({ 'api-deploy': fine }, { allowedOrigins: ['https://Other.example'] });
    const preflight = await fetch(`${api.url}/1/deploy`, { method: 'OPTIONS', headers: page });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, page.origin]);
    const done = await fetch(`${api.url}/1/deploy`, { method: 'POST', headers: page });
    expect([done.status, done.headers.get('access-control-allow-origin')]).toEqual([200, page.origin]);
    expect(done.headers.get('vary')).toBe('origin');
  });
});

import { describe, expect, it } from 'vitest';
import { storedLogin } from './deployed.ts';

const { url, user, secret } = await storedLogin();
const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;

const get = (path: string, headers: Record<string, string> = { authorization }) => fetch(`${url}${path}`, { headers });

describe('the deployed service', () => {
  it.each([
    [`/1/status/${user}/webhooks`, 200],
    [`/1/status/${user}/webhooks/`, 200],
    [`/1/status/${user}/webhooks?limit=0`, 400],
    [`/1/status/${user}/webhooks/nothing`, 404],
    ['/1/nothing', 404],
    ['/1/deploy', 405],
    ['/1/openapi.json', 200],
  ])('answers %s with %d, its version and a request id', async (path, status) => {
    const response = await get(path);
    expect(response.status).toBe(status);
    expect(response.headers.get('x-api-uuid')).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('x-api-version')).toMatch(/^1\./);
  });

  it.each([{}, { authorization: 'Basic eDp5' }])(
    'refuses a wrong login as every endpoint does: %j',
    async (headers) => {
      const response = await get(`/1/status/${user}/webhooks`, headers);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Basic realm="deployment-webhooks"');
      expect(await response.json()).toMatchObject({ code: 'mw:auth:unauthorized', status: 401 });
    },
  );

  it('streams the changes of the sample’s deploy at once', async () => {
    const response = await get(`/1/status/${user}/changes?since=0&limit=1`);
    expect(response.headers.get('content-type')).toContain('application/x-ndjson');
    const [row = ''] = (await response.text()).trim().split('\n');
    expect(JSON.parse(row)).toMatchObject({ seq: expect.any(Number), status: expect.any(String) });
  });

  it.each(['', '/'])(
    'shows the page to a browser at the address of the stage and "%s", with its scripts',
    async (end) => {
      const response = await get(end, { accept: 'text/html' });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        expect.stringContaining('text/html'),
      ]);
      const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(await response.text()) ?? [];
      expect((await fetch(new URL(script, `${url}${end}`))).status).toBe(200);
    },
  );
});

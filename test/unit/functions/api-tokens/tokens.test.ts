import { beforeEach, describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../../../functions/api/http.ts';
import { tokens } from '../../../../functions/api-tokens/tokens.ts';
import { basicHeader } from '../../../../functions/core/basic-auth.ts';
import { memoryApiTokens } from '../../../fakes/api-tokens.ts';
import { request } from '../../../support/requests.ts';

let endpoint: ReturnType<typeof tokens>;

beforeEach(() => {
  endpoint = tokens({ tokens: memoryApiTokens({ user: 'ann', password: '100% secret' }) });
});

function ask(method: string, patch: Partial<HttpRequest> & { readonly login?: string } = {}) {
  const { login = 'ann:100% secret', headers, ...more } = patch;
  const resource = method === 'DELETE' ? '/1/auth/tokens/{name}' : '/1/auth/tokens';
  return endpoint(request({ method, resource, headers: { authorization: basicHeader(login), ...headers }, ...more }));
}

const body = (value: unknown) => ({
  headers: { authorization: basicHeader('ann:100% secret'), 'content-type': 'application/json' },
  body: new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)),
});

describe('/1/auth/tokens', () => {
  it('makes a token that is shown once, lists it, and revokes it', async () => {
    const made = await ask('POST', body({ name: 'github' }));
    expect(made).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
    expect(made.body).toEqual({ name: 'github', created_at: expect.any(String), token: 'token-1' });
    const listed = await ask('GET', { login: 'ann:token-1' });
    expect(listed.body).toEqual({ tokens: [{ name: 'github', created_at: expect.any(String) }] });
    expect(await ask('DELETE', { params: { name: 'github' } })).toEqual({
      status: 204,
      headers: { 'cache-control': 'no-store' },
    });
    await expect(ask('GET', { login: 'ann:token-1' })).rejects.toMatchObject({ code: 'mw:auth:unauthorized' });
  });

  it('makes no token for a token', async () => {
    await ask('POST', body({ name: 'github' }));
    const { body: bytes } = body({ name: 'other' });
    const headers = { authorization: basicHeader('ann:token-1'), 'content-type': 'application/json' };
    await expect(ask('POST', { headers, body: bytes })).rejects.toMatchObject({ code: 'mw:auth:unauthorized' });
  });

  it('takes a login that its sender has percent-encoded, as the authorizer does', async () => {
    expect((await ask('GET', { login: `ann:${encodeURIComponent('100% secret')}` })).status).toBe(200);
  });

  it.each([
    ['no JSON', 'secret-canary'],
    ['no object', '"ci"'],
    ['no name', '{}'],
    ['an empty name', '{"name":""}'],
    ['a number', '{"name":7}'],
  ])('refuses a body with %s, and does not quote it', async (_what, text) => {
    const refusal = await ask('POST', body(text)).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'request:bad_parameter' });
    expect(refusal.detail).not.toContain('canary');
  });

  it('reads JSON only, which another site’s page cannot send, and little of it', async () => {
    const { body: bytes } = body({ name: 'ci' });
    const headers = { authorization: basicHeader('ann:100% secret'), 'content-type': 'text/plain' };
    await expect(ask('POST', { headers, body: bytes })).rejects.toMatchObject({ code: 'request:bad_parameter' });
    await expect(ask('POST', body({ name: 'x'.repeat(5000) }))).rejects.toMatchObject({ code: 'request:too_large' });
  });

  it('has no token to revoke by an unknown name', async () => {
    await expect(ask('DELETE', { params: { name: 'none' } })).rejects.toMatchObject({ code: 'status:db:not_found' });
  });

  it('refuses a request without a login', async () => {
    await expect(ask('GET', { headers: { authorization: undefined } })).rejects.toMatchObject({
      code: 'mw:auth:unauthorized',
    });
  });
});

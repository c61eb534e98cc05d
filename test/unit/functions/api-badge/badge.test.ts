import { describe, expect, it } from 'vitest';
import { badge } from '../../../../functions/api-badge/badge.ts';
import type { Badge } from '../../../../functions/core/entry/outcome.ts';
import { request } from '../../../support/requests.ts';

function get(shown: Badge, headers: Record<string, string> = {}, repository = 'shop.svg') {
  return badge({ badge: async (user, name) => (user === 'ann' && name === 'shop' ? shown : 'unknown') })(
    request({ params: { user: 'ann', repository }, headers, user: '' }),
  );
}

describe('GET /<user>/<repository>.svg', () => {
  it.each(['ok', 'failed', 'crashed', 'deploying', 'held', 'unknown'] as const)(
    'returns an SVG that says %s',
    async (shown) => {
      const { status, headers, body } = await get(shown);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': expect.stringContaining('image/svg+xml'),
        'cache-control': 'no-cache, max-age=0',
      });
      expect(body).toMatch(/^<svg/);
      expect(body).toContain(`deployment: ${shown}`);
    },
  );

  it('has a different ETag for each outcome and answers 304 to If-None-Match', async () => {
    const etag = (await get('ok')).headers?.etag ?? '';
    expect((await get('failed')).headers?.etag).not.toBe(etag);
    expect(await get('ok', { 'if-none-match': `W/${etag}, "other"` })).toMatchObject({
      status: 304,
      headers: { etag },
    });
    expect((await get('failed', { 'if-none-match': etag })).status).toBe(200);
  });

  it('returns the same badge for an unknown repository as for one without deploys', async () => {
    expect(await get('ok', {}, 'nothing.svg')).toEqual(await get('unknown'));
  });

  it('shows the application in a folder of the repository', async () => {
    const shown = badge({ badge: async (_user, _name, path) => (path === 'packages/web' ? 'ok' : 'failed') });
    const get = (query: Record<string, string>) =>
      shown(request({ params: { user: 'ann', repository: 'shop.svg' }, query, user: '' }));
    expect((await get({ path: './packages/web/' })).body).toContain('deployment: ok');
    expect((await get({})).body).toContain('deployment: failed');
    await expect(get({ path: '../web' })).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });

  it('is that of an unknown user, without a query, for a name that no user can have', async () => {
    const unread = badge({ badge: async () => expect.unreachable() });
    const params = { user: 'ü'.repeat(1100), repository: 'shop.svg' };
    expect(await unread(request({ params, user: '' }))).toEqual(await get('unknown'));
  });

  it.each(['shop', 'shop.png', ''])(
    'is request:not_found when the path %j does not end with .svg',
    async (repository) => {
      await expect(get('ok', {}, repository)).rejects.toMatchObject({ code: 'request:not_found', status: 404 });
    },
  );

  it('is status:db:query_fail when the database fails', async () => {
    const failing = badge({ badge: async () => Promise.reject(new Error('away')) });
    const failure = failing(request({ params: { user: 'ann', repository: 'shop.svg' } }));
    await expect(failure).rejects.toMatchObject({ code: 'status:db:query_fail' });
  });
});

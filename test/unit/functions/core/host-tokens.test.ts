import { describe, expect, it } from 'vitest';
import { ANY_APP, fetchToken, openingOnce, statusToken } from '../../../../functions/core/host-tokens.ts';
import { memoryTokens } from '../../../fakes/deploy-log.ts';
import { memorySealer } from '../../../fakes/sealer.ts';

async function world(...apps: readonly string[]) {
  const tokens = memoryTokens();
  const sealer = memorySealer();
  for (const app of apps) {
    const sealed = await sealer.seal(`for ${app}`, { purpose: 'repo-token', user: 'ann', host: 'github' });
    await tokens.put('ann', { host: 'github', app, login: 'ann', scopes: [], expiresAt: null, sealed });
  }
  return { tokens, sealer };
}

describe('the token to fetch code with', () => {
  it('is the user’s token for all applications of that host', async () => {
    const access = await world(ANY_APP);
    expect(await fetchToken(access, 'ann', 'github')).toBe('for *');
    expect(await fetchToken(access, 'ann', 'gitlab')).toBeNull();
    expect(await fetchToken(access, 'bob', 'github')).toBeNull();
  });

  it('is never a token for a single application', async () => {
    expect(await fetchToken(await world('shop'), 'ann', 'github')).toBeNull();
  });
});

it('a token is opened once for many applications, and again after it was forgotten or replaced', async () => {
  const access = await world(ANY_APP);
  let opened = 0;
  const sealer = openingOnce({
    ...access.sealer,
    open: (...asked) => {
      opened += 1;
      return access.sealer.open(...asked);
    },
  });
  const all = () => Promise.all(Array.from({ length: 1000 }, () => fetchToken({ ...access, sealer }, 'ann', 'github')));
  expect([new Set(await all()), opened]).toEqual([new Set(['for *']), 1]);
  sealer.forget();
  expect([(await all()).length, opened]).toEqual([1000, 2]);
  const sealed = await sealer.seal('new', { purpose: 'repo-token', user: 'ann', host: 'github' });
  await access.tokens.put('ann', { host: 'github', app: ANY_APP, login: 'ann', scopes: [], expiresAt: null, sealed });
  expect([new Set(await all()), opened]).toEqual([new Set(['new']), 3]);
});

describe('the token for commit statuses', () => {
  it('is the application’s token rather than the one for all applications', async () => {
    expect(await statusToken(await world('shop', ANY_APP), 'ann', 'github', 'shop')).toBe('for shop');
  });

  it('is the one for all applications when the application has none or is unknown', async () => {
    const access = await world('shop', ANY_APP);
    expect(await statusToken(access, 'ann', 'github', 'blog')).toBe('for *');
    expect(await statusToken(access, 'ann', 'github', null)).toBe('for *');
  });

  it('is never the token of another application', async () => {
    expect(await statusToken(await world('shop'), 'ann', 'github', 'blog')).toBeNull();
  });
});

it('Access does not open a token that was sealed for another user', async () => {
  const { tokens, sealer } = await world();
  const sealed = await sealer.seal('x', { purpose: 'repo-token', user: 'bob', host: 'github' });
  await tokens.put('ann', { host: 'github', app: ANY_APP, login: 'ann', scopes: [], expiresAt: null, sealed });
  await expect(fetchToken({ tokens, sealer }, 'ann', 'github')).rejects.toThrow();
});

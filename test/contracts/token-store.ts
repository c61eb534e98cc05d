import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredToken, TokenStore } from '../../functions/core/ports/repository-host.ts';

const github: StoredToken = {
  host: 'github',
  app: '*',
  login: 'octo',
  scopes: ['repo'],
  expiresAt: '2027-01-01T00:00:00.000Z',
  sealed: 'v1.sealed',
};

/**
 * The contract of the port `TokenStore`. Every implementation must pass it; `open` returns one without tokens of
 * `kiwi`.
 */
export function tokenStoreContract(title: string, open: () => Promise<TokenStore>): void {
  describe(`${title}, as a store of tokens`, () => {
    let store: TokenStore;
    beforeEach(async () => {
      store = await open();
      for (const user of ['kiwi', 'kiwi jr']) {
        for (const { host, app } of await store.list(user)) await store.remove(user, host, app);
      }
    });

    it('has no token for a user who never paired', async () => {
      expect(await store.get('kiwi', 'github', '*')).toBeNull();
      expect(await store.list('kiwi')).toEqual([]);
      expect(await store.remove('kiwi', 'github', '*')).toBe(false);
    });

    it('returns a token as it was stored', async () => {
      await store.put('kiwi', github);
      expect(await store.get('kiwi', 'github', '*')).toEqual(github);
    });

    it('has one token per host and application, the latest', async () => {
      await store.put('kiwi', github);
      await store.put('kiwi', { ...github, sealed: 'v1.newer' });
      await store.put('kiwi', { ...github, app: '@scope/app' });
      await store.put('kiwi', { ...github, host: 'forge' });
      const list = await store.list('kiwi');
      expect(list.map(({ host, app }) => `${host} ${app}`)).toEqual(['forge *', 'github *', 'github @scope/app']);
      expect(await store.get('kiwi', 'github', '*')).toMatchObject({ sealed: 'v1.newer' });
    });

    it('separates users whose names contain separators', async () => {
      await store.put('kiwi jr', github);
      expect(await store.list('kiwi')).toEqual([]);
      expect(await store.get('kiwi', 'jr github', '*')).toBeNull();
    });

    it('removes one token and returns whether it existed', async () => {
      await store.put('kiwi', github);
      await store.put('kiwi', { ...github, app: 'hello' });
      expect(await store.remove('kiwi', 'github', '*')).toBe(true);
      expect(await store.remove('kiwi', 'github', '*')).toBe(false);
      expect((await store.list('kiwi')).map(({ app }) => app)).toEqual(['hello']);
    });
  });
}

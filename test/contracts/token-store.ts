import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredToken, TokenStore } from '../../functions/core/ports/token-store.ts';

const github: StoredToken = {
  host: 'github',
  app: '*',
  login: 'octo',
  scopes: ['repo'],
  expiresAt: '2027-01-01T00:00:00.000Z',
  sealed: 'v1.sealed',
};

/** What every store of sealed tokens does. `open` gives one that holds nothing of the users named `kiwi…`. */
export function tokenStoreContract(title: string, open: () => Promise<TokenStore>): void {
  describe(`${title}, as a store of tokens`, () => {
    let store: TokenStore;
    beforeEach(async () => {
      store = await open();
      for (const user of ['kiwi', 'kiwi jr']) {
        for (const { host, app } of await store.list(user)) await store.remove(user, host, app);
      }
    });

    it('has nothing for a user who never paired', async () => {
      expect(await store.get('kiwi', 'github', '*')).toBeNull();
      expect(await store.list('kiwi')).toEqual([]);
      expect(await store.remove('kiwi', 'github', '*')).toBe(false);
    });

    it('gives a token back as it was put', async () => {
      await store.put('kiwi', github);
      expect(await store.get('kiwi', 'github', '*')).toEqual(github);
    });

    it('has one token for each host and application, the last one put', async () => {
      await store.put('kiwi', github);
      await store.put('kiwi', { ...github, sealed: 'v1.newer' });
      await store.put('kiwi', { ...github, app: '@scope/app' });
      await store.put('kiwi', { ...github, host: 'forge' });
      const list = await store.list('kiwi');
      expect(list.map(({ host, app }) => `${host} ${app}`)).toEqual(['forge *', 'github *', 'github @scope/app']);
      expect(await store.get('kiwi', 'github', '*')).toMatchObject({ sealed: 'v1.newer' });
    });

    it('keeps users apart, whatever they are called', async () => {
      await store.put('kiwi jr', github);
      expect(await store.list('kiwi')).toEqual([]);
      expect(await store.get('kiwi', 'jr github', '*')).toBeNull();
    });

    it('removes one token and says whether it was there', async () => {
      await store.put('kiwi', github);
      await store.put('kiwi', { ...github, app: 'hello' });
      expect(await store.remove('kiwi', 'github', '*')).toBe(true);
      expect(await store.remove('kiwi', 'github', '*')).toBe(false);
      expect((await store.list('kiwi')).map(({ app }) => app)).toEqual(['hello']);
    });
  });
}

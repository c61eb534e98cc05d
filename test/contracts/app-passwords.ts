import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppPasswords } from '../../functions/core/ports/applications.ts';
import type { DomainsUnderTest } from './app-domains.ts';

export interface PasswordsUnderTest extends DomainsUnderTest {
  readonly passwords: AppPasswords;
}

/** The contract of the port `AppPasswords`; every implementation must pass it. */
export function appPasswordsContract(title: string, open: () => Promise<PasswordsUnderTest>): void {
  describe(`${title}, asked for passwords of applications`, () => {
    let at: PasswordsUnderTest;
    beforeAll(async () => {
      at = await open();
    });
    afterAll(() => at?.close());

    const ref = (app: string) => ({ user: at.user, app });
    const has = (app: string) => at.passwords.has(ref(app));

    it('has none for an application that has got none, or that there is not', async () => {
      await at.variables.create(ref('blog'), 'blog');
      expect([await has('blog'), await has('nothing')]).toEqual([false, false]);
    });

    it('keeps one from before the first deploy on, until it is removed', async () => {
      await at.passwords.set(ref('shop'), '@ann/shop', 'correct horse');
      expect(await has('shop')).toBe(true);
      expect(await at.applications.find(ref('shop'))).toMatchObject({ name: '@ann/shop', state: 'never' });
      await at.platform.ensureApp(ref('shop'), { name: '@ann/shop', version: '1.0.0' });
      await at.passwords.set(ref('shop'), 'shop', 'battery staple');
      expect([await has('shop'), await has('blog')]).toEqual([true, false]);
      for (const _ of ['once', 'twice']) await at.passwords.set(ref('shop'), 'shop', null);
      expect(await has('shop')).toBe(false);
    });

    it('gives a preview that of its application, also when that changes or is gone', async () => {
      const how = { maySleep: true, previewOf: 'site' };
      await at.platform.ensureApp(ref('site'), { name: 'site' });
      await at.platform.ensureApp(ref('site-pr-1'), { name: 'site-pr-1' }, how);
      expect(await has('site-pr-1')).toBe(false);
      await at.passwords.set(ref('site'), 'site', 'correct horse');
      await at.platform.ensureApp(ref('site-pr-2'), { name: 'site-pr-2' }, how);
      expect([await has('site-pr-1'), await has('site-pr-2'), await has('blog')]).toEqual([true, true, false]);
      await at.passwords.set(ref('site'), 'site', null);
      expect([await has('site-pr-1'), await has('site-pr-2')]).toEqual([false, false]);
      await at.passwords.set(ref('site'), 'site', 'correct horse');
      await at.operations.remove(ref('site'));
      await at.platform.ensureApp(ref('site-pr-1'), { name: 'site-pr-1', version: '2.0.0' }, how);
      expect([await has('site'), await has('site-pr-1')]).toEqual([false, true]);
    });

    it('keeps it under another name', async () => {
      await at.passwords.set(ref('old'), 'old', 'correct horse');
      await at.operations.rename(ref('old'), 'new');
      expect([await has('old'), await has('new')]).toEqual([false, true]);
    });
  });
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppDomains } from '../../functions/core/ports/applications.ts';
import type { ApplicationsUnderTest } from './applications.ts';

/** A platform whose applications can have domains. */
export interface DomainsUnderTest extends ApplicationsUnderTest {
  readonly domains: AppDomains;
}

/** The contract of the port `AppDomains`; every implementation must pass it. */
export function appDomainsContract(title: string, open: () => Promise<DomainsUnderTest>): void {
  describe(`${title}, asked for domains of applications`, () => {
    let at: DomainsUnderTest;

    beforeAll(async () => {
      at = await open();
      for (const app of ['shop', 'blog']) await at.variables.create(ref(app), app);
    });
    afterAll(() => at?.close());

    const ref = (app: string) => ({ user: at.user, app });
    const namesOf = async (app: string) => (await at.domains.list(ref(app)))?.map(({ name }) => name);

    it('gives an application names, of which each is new once', async () => {
      expect(await namesOf('shop')).toEqual([]);
      expect(await at.domains.add(ref('shop'), 'www.shop.invalid')).toMatchObject({
        domain: { name: 'www.shop.invalid', note: expect.any(String) },
        isNew: true,
      });
      expect(await at.domains.add(ref('shop'), 'shop.invalid')).toMatchObject({ isNew: true });
      expect(await at.domains.add(ref('shop'), 'shop.invalid')).toMatchObject({ isNew: false });
      expect(await namesOf('shop')).toEqual(['www.shop.invalid', 'shop.invalid']);
    });

    it('gives a name to one application only, until it is free', async () => {
      await at.domains.add(ref('shop'), 'sold.invalid');
      await expect(at.domains.add(ref('blog'), 'sold.invalid')).rejects.toMatchObject({
        code: 'request:conflict',
        detail: expect.stringContaining('shop'),
      });
      expect(await at.domains.remove(ref('blog'), 'sold.invalid')).toBe(false);
      expect(await at.domains.remove(ref('shop'), 'sold.invalid')).toBe(true);
      expect(await at.domains.remove(ref('shop'), 'sold.invalid')).toBe(false);
      expect(await at.domains.add(ref('blog'), 'sold.invalid')).toMatchObject({ isNew: true });
    });

    it('frees the names of an application that is removed', async () => {
      await at.variables.create(ref('gone'), 'gone');
      await at.domains.add(ref('gone'), 'gone.invalid');
      await at.operations.remove(ref('gone'));
      expect(await at.domains.add(ref('blog'), 'gone.invalid')).toMatchObject({ isNew: true });
    });

    it('redirects a name to one that is served, until it is served itself', async () => {
      await at.variables.create(ref('moved'), 'moved');
      await at.domains.add(ref('moved'), 'www.moved.invalid');
      await at.domains.add(ref('moved'), 'moved.invalid');
      const redirect = 'moved.invalid';
      expect(await at.domains.add(ref('moved'), 'www.moved.invalid', redirect)).toMatchObject({
        domain: { name: 'www.moved.invalid', redirect },
        isNew: false,
      });
      expect(await at.domains.add(ref('moved'), 'm.moved.invalid', redirect)).toMatchObject({ isNew: true });
      const all = async () => (await at.domains.list(ref('moved')))?.map(({ name, redirect: to }) => [name, to]);
      expect(await all()).toEqual([
        ['www.moved.invalid', redirect],
        ['moved.invalid', undefined],
        ['m.moved.invalid', redirect],
      ]);
      expect(await at.domains.add(ref('moved'), 'www.moved.invalid')).toMatchObject({ isNew: false });
      expect((await all())?.[0]).toEqual(['www.moved.invalid', undefined]);
    });

    it('refuses a redirect that leads to no name of the application, to itself, or on to another redirect', async () => {
      for (const app of ['loop', 'other']) await at.variables.create(ref(app), app);
      await at.domains.add(ref('other'), 'other.invalid');
      await at.domains.add(ref('loop'), 'loop.invalid');
      await at.domains.add(ref('loop'), 'www.loop.invalid', 'loop.invalid');
      const redirects = [
        ['a.loop.invalid', 'none.invalid'],
        ['a.loop.invalid', 'other.invalid'],
        ['a.loop.invalid', 'a.loop.invalid'],
        ['a.loop.invalid', 'www.loop.invalid'],
        ['loop.invalid', 'loop.invalid'],
        ['loop.invalid', 'www.loop.invalid'],
      ] as const;
      for (const [name, to] of redirects) {
        await expect(at.domains.add(ref('loop'), name, to)).rejects.toMatchObject({ code: 'request:conflict' });
      }
      expect(await namesOf('loop')).toEqual(['loop.invalid', 'www.loop.invalid']);
    });

    it('keeps a name to which others redirect', async () => {
      await at.variables.create(ref('kept'), 'kept');
      await at.domains.add(ref('kept'), 'kept.invalid');
      await at.domains.add(ref('kept'), 'www.kept.invalid', 'kept.invalid');
      const removed = at.domains.remove(ref('kept'), 'kept.invalid');
      await expect(removed).rejects.toMatchObject({ code: 'request:conflict' });
      expect(await namesOf('kept')).toEqual(['kept.invalid', 'www.kept.invalid']);
      expect(await at.domains.remove(ref('kept'), 'www.kept.invalid')).toBe(true);
      expect(await at.domains.remove(ref('kept'), 'kept.invalid')).toBe(true);
    });

    it('refuses its own names', async () => {
      const own = at.domains.add(ref('shop'), 'blog.kiwi.localhost');
      await expect(own).rejects.toMatchObject({ code: 'request:bad_parameter' });
    });

    it('knows none of an application that does not exist', async () => {
      expect(await at.domains.list(ref('none'))).toBeNull();
      expect(await at.domains.add(ref('none'), 'none.invalid')).toBeNull();
      expect(await at.domains.remove(ref('none'), 'none.invalid')).toBe(false);
    });
  });
}

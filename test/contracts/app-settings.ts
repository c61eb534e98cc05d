import { beforeEach, describe, expect, it } from 'vitest';
import { SETTING_NAMES, settingOf } from '../../functions/core/apps/settings.ts';
import type { AppSettings } from '../../functions/core/ports/facts.ts';
import { SETTING_EXAMPLES } from '../support/settings-examples.ts';

/** The contract of the port `AppSettings`. Every implementation must pass it; `open` returns one that may have any. */
export function appSettingsContract(open: () => Promise<AppSettings>): void {
  describe('the settings of applications', () => {
    const shop = { user: 'ann', app: 'shop' };
    const blog = { user: 'ann', app: 'blog' };
    const theirs = { user: 'bob', app: 'shop' };
    let settings: AppSettings;
    beforeEach(async () => {
      settings = await open();
      for (const app of [shop, blog, theirs]) await settings.remove(app);
    });

    it('are none before the first', async () => {
      expect(await settings.read(shop)).toEqual({});
    });

    it('are those that were changed last; what a change does not name stays', async () => {
      await settings.change(shop, { build: 'make', start: '' });
      await settings.change(shop, { build: 'make all', output: 'dist' });
      expect(await settings.read(shop)).toEqual({ build: 'make all', start: '', output: 'dist' });
      await settings.change(shop, { build: null, install: null, start: 'node .' });
      expect(await settings.read(shop)).toEqual({ start: 'node .', output: 'dist' });
      await settings.change(shop, { start: null, output: null });
      expect(await settings.read(shop)).toEqual({});
    });

    it('keep a value of each', async () => {
      // A secret is kept apart.
      const names = SETTING_NAMES.filter((name) => settingOf(name).kind.json !== 'secret');
      const all = Object.fromEntries(names.map((name) => [name, SETTING_EXAMPLES[name].kept]));
      await settings.change(shop, all);
      expect(await settings.read(shop)).toEqual(all);
      await settings.move(shop, 'blog');
      expect(await settings.read(blog)).toEqual(all);
    });

    it('are of one application of one user', async () => {
      await settings.change(shop, { build: 'make' });
      expect([await settings.read(blog), await settings.read(theirs)]).toEqual([{}, {}]);
    });

    it('move to another name in place of those there, and a second call changes nothing', async () => {
      await settings.change(shop, { build: 'make' });
      await settings.change(blog, { start: 'node .' });
      await settings.change(theirs, { build: 'ours' });
      for (const _ of ['first', 'second']) {
        await settings.move(shop, 'blog');
        expect([await settings.read(shop), await settings.read(blog)]).toEqual([{}, { build: 'make' }]);
      }
      await settings.move(blog, 'blog');
      expect(await settings.read(blog)).toEqual({ build: 'make' });
      expect(await settings.read(theirs)).toEqual({ build: 'ours' });
    });

    it('are removed, also when there are none', async () => {
      await settings.change(shop, { build: 'make' });
      await settings.remove(shop);
      await settings.remove(shop);
      expect(await settings.read(shop)).toEqual({});
    });
  });
}

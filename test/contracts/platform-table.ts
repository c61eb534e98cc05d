import { beforeEach, describe, expect, it } from 'vitest';
import { keys } from '../../functions/adapters/platform/aws-lambda/table/items.ts';
import type { PlatformTable } from '../../functions/adapters/platform/aws-lambda/table/table.ts';

/** The contract of `PlatformTable`; every implementation must pass it. Each table is empty. */
export function platformTableContract(title: string, open: () => Promise<PlatformTable>): void {
  describe(`${title}, as the table of the platform`, () => {
    let table: PlatformTable;
    const shop = keys.app({ user: 'kiwi', app: 'shop' });

    beforeEach(async () => {
      table = await open();
    });

    it('sets some attributes, removes others, and keeps the rest', async () => {
      expect(await table.read(shop)).toBeNull();
      expect(await table.write(shop, { name: 'shop', asked: 7, snapshot: '1' })).toBe(true);
      await table.write(shop, { snapshot: null, state: 'running' });
      expect(await table.read(shop)).toEqual({ pk: shop.pk, sk: shop.sk, name: 'shop', asked: 7, state: 'running' });
    });

    it('gives values of every kind back as they were', async () => {
      const key = keys.snapshot({ user: 'kiwi', app: 'shop', snapshot: '1' });
      const item = { sha256: 'a1', bytes: 12, at: 1_700_000_000_000, state: 'failed', log: ['a', '"b"'] } as const;
      await table.write(key, item);
      expect(await table.read(key)).toEqual({ ...item, pk: key.pk, sk: key.sk });
    });

    it.each([true, false])('writes on the condition that an item exists (%s)', async (exists) => {
      expect(await table.write(shop, { name: 'shop' }, { exists })).toBe(!exists);
      expect((await table.read(shop)) !== null).toBe(!exists);
      expect(await table.write(shop, { name: 'shop' }, { exists })).toBe(false);
    });

    it('writes on the condition of a value', async () => {
      await table.write(shop, { name: 'shop', asked: 7 });
      expect(await table.write(shop, { asked: 9 }, { attribute: 'asked', is: 8 })).toBe(false);
      expect(await table.write(shop, { asked: 8 }, { attribute: 'asked', is: 7 })).toBe(true);
      expect(await table.write(shop, { version: '1' }, { attribute: 'version', is: null })).toBe(true);
      expect(await table.write(shop, { version: '2' }, { attribute: 'version', is: null })).toBe(false);
      expect(await table.read(shop)).toMatchObject({ asked: 8, version: '1' });
    });

    it('writes nothing on the condition of a value, or of none, when there is no such item', async () => {
      expect(await table.write(shop, { name: 'shop' }, { attribute: 'state', is: 'running' })).toBe(false);
      expect(await table.write(shop, { name: 'shop' }, { attribute: 'state', is: null })).toBe(false);
      expect(await table.read(shop)).toBeNull();
    });

    it('removes an item on the condition of a value', async () => {
      await table.write(shop, { name: 'shop', asked: 7 });
      expect(await table.remove(shop, { attribute: 'asked', is: 8 })).toBe(false);
      expect(await table.read(shop)).toMatchObject({ asked: 7 });
      expect(await table.remove(shop, { attribute: 'asked', is: 7 })).toBe(true);
      expect(await table.remove(shop, { attribute: 'asked', is: 7 })).toBe(false);
      expect(await table.read(shop)).toBeNull();
    });

    it('lists a partition in the order of the sort keys', async () => {
      for (const [user, app] of [
        ['kiwi', 'b'],
        ['kiwi', 'B'],
        ['kiwi', 'a'],
        ['kiwi2', 'c'],
      ] as const)
        await table.write(keys.app({ user, app }), { name: app });
      await table.write(keys.quiet('f'), { since: 1 });
      expect((await table.list(keys.apps('kiwi'))).map(({ sk }) => sk)).toEqual(['B', 'a', 'b']);
      expect(await table.list(keys.apps('lime'))).toEqual([]);
      expect((await table.list(keys.apps('kiwi'), 'a')).map(({ sk }) => sk)).toEqual(['B', 'a']);
    });

    it('removes an item once', async () => {
      await table.write(shop, { name: 'shop' });
      expect(await table.remove(shop)).toBe(true);
      expect(await table.remove(shop)).toBe(false);
      expect(await table.read(shop)).toBeNull();
    });
  });
}

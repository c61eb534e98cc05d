import type { Item, Key, PlatformTable } from '../../../functions/adapters/platform/aws-lambda/table/table.ts';

/** The platform's table in memory; that in DynamoDB has a test of its own. */
export function memoryTable(): PlatformTable {
  const items = new Map<string, Item>();
  const idOf = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);
  return {
    read: async (key) => items.get(idOf(key)) ?? null,
    list: async (pk) =>
      [...items.values()].filter((item) => item.pk === pk).sort((a, b) => ((a.sk ?? '') < (b.sk ?? '') ? -1 : 1)),
    scan: async (prefix) => [...items.values()].filter(({ pk = '' }) => pk.startsWith(prefix)),
    write: async (key, changes, condition) => {
      const known = items.get(idOf(key));
      if (condition?.exists !== undefined && condition.exists !== (known !== undefined)) return false;
      if (condition && condition.exists === undefined && (known?.[condition.attribute] ?? null) !== condition.is)
        return false;
      const kept = Object.entries({ ...known, ...changes, ...key }).filter(([, value]) => value !== null);
      items.set(idOf(key), Object.fromEntries(kept) as Item);
      return true;
    },
    remove: async (key) => items.delete(idOf(key)),
  };
}

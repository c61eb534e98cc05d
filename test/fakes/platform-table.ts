import type { Key, Partition } from '../../functions/adapters/platform/aws-lambda/table/items.ts';
import type {
  Changes,
  Condition,
  PlatformTable,
  Stored,
} from '../../functions/adapters/platform/aws-lambda/table/table.ts';

/** The platform's table in memory. */
export function memoryTable(): PlatformTable {
  const items = new Map<string, Stored<Readonly<Record<string, unknown>>>>();
  const idOf = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);
  return {
    read: async <Item>(key: Key<Item>) => (items.get(idOf(key)) as Stored<Item> | undefined) ?? null,
    list: async <Item>(partition: Partition<Item>, until?: string) => {
      const isWanted = ({ pk, sk }: Key) => pk === partition.pk && (until === undefined || sk <= until);
      const found = [...items.values()].filter(isWanted) as unknown as Stored<Item>[];
      return found.sort((a, b) => (a.sk < b.sk ? -1 : 1));
    },
    write: async <Item>(key: Key<Item>, changes: Changes<Item>, condition?: Condition<Item>) => {
      const known = items.get(idOf(key));
      if (condition && !holds(known, condition)) return false;
      const kept = Object.entries({ ...known, ...changes }).filter(([, value]) => value !== null);
      items.set(idOf(key), { ...Object.fromEntries(kept), pk: key.pk, sk: key.sk });
      return true;
    },
    remove: async <Item>(key: Key<Item>, condition?: Condition<Item>) =>
      (!condition || holds(items.get(idOf(key)), condition)) && items.delete(idOf(key)),
  };
}

function holds<Item>(known: Readonly<Record<string, unknown>> | undefined, condition: Condition<Item>): boolean {
  if (condition.exists !== undefined) return condition.exists === (known !== undefined);
  return known !== undefined && (known[condition.attribute] ?? null) === condition.is;
}

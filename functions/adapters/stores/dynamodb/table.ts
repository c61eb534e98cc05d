import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Entry } from '../../../core/entry/entry.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { Ids } from '../../../core/ports/ids.ts';
import type { CounterCache } from './counters.ts';
import { entryOf, type Item, keys, stringIn } from './items.ts';

/** The table of the log, and the ports that its operations need. */
export interface TableContext {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** The table of payloads, which has no stream; absent where no entries are appended. */
  readonly payloads?: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The context of the log's writers. */
export interface WriteContext extends TableContext {
  readonly counters: CounterCache;
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const MAX_KEY_BYTES = { pk: 2048, sk: 1024 } as const;

/** Returns an item with a strongly consistent read; undefined when there is none. */
export async function readItem({ client, table }: TableContext, key: Item): Promise<Item | undefined> {
  // Names in addresses have any length. No item has so long a key, and the database refuses to look for one.
  if (isTooLong(key, 'pk') || isTooLong(key, 'sk')) return undefined;
  const { Item: item } = await client.send(new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true }));
  return item;
}

function isTooLong(key: Item, name: keyof typeof MAX_KEY_BYTES): boolean {
  return Buffer.byteLength(stringIn(key, name) ?? '') > MAX_KEY_BYTES[name];
}

/** Returns an entry with a strongly consistent read; null when there is none. */
export async function readEntry(context: TableContext, user: string, number: number): Promise<Entry | null> {
  const item = await readItem(context, keys.entry(user, number));
  return item ? entryOf(item) : null;
}

import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Entry } from '../../../core/entry/entry.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { Ids } from '../../../core/ports/ids.ts';
import type { Heads } from './heads.ts';
import { entryOf, type Item, keys } from './items.ts';

/** Where the log lives. */
export interface TableContext {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What writing needs beside the table. */
export interface WriteContext extends TableContext {
  readonly heads: Heads;
}

/** The item of an entry, read strongly. */
export async function readItem({ client, table }: TableContext, key: Item): Promise<Item | undefined> {
  const { Item: item } = await client.send(new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true }));
  return item;
}

/** The entry, read strongly; null when there is none. */
export async function readEntry(context: TableContext, user: string, number: number): Promise<Entry | null> {
  const item = await readItem(context, keys.entry(user, number));
  return item ? entryOf(item) : null;
}

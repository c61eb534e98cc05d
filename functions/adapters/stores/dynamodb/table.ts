import {
  type CancellationReason,
  type DynamoDBClient,
  GetItemCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { Entry } from '../../../core/entry/entry.ts';
import type { Clock, Ids } from '../../../core/ports/system.ts';
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

/** Why a transaction was refused, item by item. */
export interface Refusal {
  readonly reasons: readonly CancellationReason[];
}

/**
 * Writes all items or none. Returns null when they were written, or the refusal: a condition that failed, with the item
 * that it met, or a conflict with another transaction. Throws everything else.
 */
export async function transact(client: DynamoDBClient, items: TransactWriteItem[]): Promise<Refusal | null> {
  try {
    // The SDK makes a new ClientRequestToken for every command: with the old one a retry would get the old result.
    await client.send(new TransactWriteItemsCommand({ TransactItems: items }));
    return null;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const reasons = error.CancellationReasons ?? [];
    const fatal = reasons.find(({ Code }) => Code === 'ValidationError' || Code === 'ItemCollectionSizeLimitExceeded');
    if (fatal) throw error;
    return { reasons };
  }
}

/** Whether the condition of the item at that index failed. */
export function conditionFailed(refusal: Refusal, index: number): boolean {
  return refusal.reasons[index]?.Code === 'ConditionalCheckFailed';
}

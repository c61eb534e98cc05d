import {
  BatchGetItemCommand,
  type CancellationReason,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  paginateQuery,
  QueryCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { mapLimit } from '../../../core/concurrency.ts';
import type { Entry } from '../../../core/entry/entry.ts';
import type { Clock, Ids } from '../../../core/ports/system.ts';
import { entryOf, type Item, keys, N, S, stringIn } from './items.ts';

export interface Table {
  readonly client: DynamoDBClient;
  readonly table: string;
}

/** The table of connections, which has wrong passwords, refused calls and the leases of streams too. */
export interface ConnectionsContext extends Table {
  readonly clock: Pick<Clock, 'now'>;
}

export interface TableContext extends Table {
  /** The table of payloads, which has no stream; absent where no entries are appended. */
  readonly payloads?: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const MAX_KEY_BYTES = { pk: 2048, sk: 1024 } as const;

/** Returns an item with a strongly consistent read; undefined when there is none. */
export async function readItem({ client, table }: Table, key: Item): Promise<Item | undefined> {
  // Names in addresses have any length. No item has so long a key, and the database refuses to look for one.
  if (isTooLong(key, 'pk') || isTooLong(key, 'sk')) return undefined;
  const { Item: item } = await client.send(new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true }));
  return item;
}

/** More at once would end after the time that one may take, in a function with a third of a processor. */
const READS_AT_ONCE = 20;
/** The most keys that DynamoDB takes in one call. */
const KEYS_AT_ONCE = 100;

/** Returns the items with these keys, in their order, with strongly consistent reads. */
export async function readItems(table: Table, found: readonly Item[]): Promise<readonly (Item | undefined)[]> {
  const keyOf = ({ pk, sk }: Item) => JSON.stringify([pk?.S, sk?.S]);
  const wanted = [...new Map(found.map(({ pk = S(''), sk = S('') }) => [keyOf({ pk, sk }), { pk, sk }])).values()];
  const starts = Array.from({ length: Math.ceil(wanted.length / KEYS_AT_ONCE) }, (_, at) => at * KEYS_AT_ONCE);
  const read = await mapLimit(starts, 2, (start) => readBatch(table, wanted.slice(start, start + KEYS_AT_ONCE)));
  const byKey = new Map(read.flat().map((item) => [keyOf(item), item]));
  return found.map((one) => byKey.get(keyOf(one)));
}

/** What DynamoDB leaves out, of more than 16 MB or when it is throttled, is read item by item, which the SDK tries again. */
async function readBatch(context: Table, Keys: Item[]): Promise<readonly Item[]> {
  const { client, table } = context;
  const command = new BatchGetItemCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } });
  const { Responses = {}, UnprocessedKeys = {} } = await client.send(command);
  const left = UnprocessedKeys[table]?.Keys ?? [];
  const others = await mapLimit(left, READS_AT_ONCE, async (key) => (await readItem(context, key)) ?? []);
  return [...(Responses[table] ?? []), ...others.flat()];
}

function isTooLong(key: Item, name: keyof typeof MAX_KEY_BYTES): boolean {
  return Buffer.byteLength(stringIn(key, name) ?? '') > MAX_KEY_BYTES[name];
}

/** Returns an entry with a strongly consistent read; null when there is none. */
export async function readEntry(context: Table, user: string, number: number): Promise<Entry | null> {
  const item = await readItem(context, keys.entry(user, number));
  return item ? entryOf(item) : null;
}

/** Returns the items of a partition whose sort keys begin so, with strongly consistent reads. */
export async function itemsIn({ client, table }: Table, pk: string, prefix = ''): Promise<Item[]> {
  const query = {
    TableName: table,
    KeyConditionExpression: prefix === '' ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': S(pk), ...(prefix !== '' && { ':prefix': S(prefix) }) },
    ConsistentRead: true,
  };
  const items: Item[] = [];
  for await (const { Items = [] } of paginateQuery({ client }, query)) items.push(...Items);
  return items;
}

/** Returns what is due in a partition of the index, the longest overdue first. */
export async function dueIn({ client, table }: Table, partition: string, now: number, limit: number): Promise<Item[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: table,
      IndexName: 'byDue',
      KeyConditionExpression: 'due_pk = :partition AND due_at <= :now',
      ExpressionAttributeValues: { ':partition': S(partition), ':now': N(now) },
      Limit: limit,
    }),
  );
  return Items;
}

/** Returns the keys of the items of the index of applications whose sort keys begin so, a little behind what is written. */
export async function appItems({ client, table }: Table, partition: string, prefix: string): Promise<Item[]> {
  const query = {
    TableName: table,
    IndexName: 'byApp',
    KeyConditionExpression: 'app_pk = :pk AND begins_with(app_sk, :prefix)',
    ExpressionAttributeValues: { ':pk': S(partition), ':prefix': S(prefix) },
  };
  const items: Item[] = [];
  for await (const { Items = [] } of paginateQuery({ client }, query)) items.push(...Items);
  return items;
}

/**
 * Updates an item. Returns whether the condition holds, and the item as far as it is asked for: that of `ReturnValues`,
 * or that of `ReturnValuesOnConditionCheckFailure`.
 */
export async function update(
  { client, table }: Table,
  Key: Item,
  change: Omit<UpdateItemCommandInput, 'TableName' | 'Key'>,
): Promise<{ readonly holds: boolean; readonly item: Item | undefined }> {
  try {
    const { Attributes } = await client.send(new UpdateItemCommand({ TableName: table, Key, ...change }));
    return { holds: true, item: Attributes };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { holds: false, item: error.Item };
    throw error;
  }
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

export function conditionFailed(refusal: Refusal, index: number): boolean {
  return refusal.reasons[index]?.Code === 'ConditionalCheckFailed';
}

import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  paginateQuery,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { parseJson } from '../../../../core/json.ts';
import { updateOf } from '../../../aws/attributes.ts';
import { unless } from '../../../aws/failures.ts';
import { type Key, type Partition, STORED_AS_JSON } from './items.ts';

/** An item as it is read, with its key. */
export type Stored<Item> = Item & { readonly pk: string; readonly sk: string };

/** Attributes to set, and with null those to remove. */
export type Changes<Item> = { readonly [Name in keyof Item]?: Item[Name] | null };

/** The condition of a write: whether the item exists, or the value of an attribute (null: none). */
export type Condition<Item> =
  | { readonly exists: boolean }
  | { readonly attribute: keyof Item & string; readonly is: string | number | null; readonly exists?: undefined };

/** The table of the platform: its applications and snapshots. */
export interface PlatformTable {
  /** Returns an item as of now; null when there is none. */
  read<Item>(key: Key<Item>): Promise<Stored<Item> | null>;
  /** Returns the items of a partition in the order of their sort keys; with `until` those whose keys are not behind it. */
  list<Item>(partition: Partition<Item>, until?: string): Promise<readonly Stored<Item>[]>;
  /** Sets and removes attributes, and keeps the others. Returns false when the condition does not hold. */
  write<Item>(key: Key<Item>, changes: Changes<NoInfer<Item>>, condition?: Condition<NoInfer<Item>>): Promise<boolean>;
  /** Removes an item. Returns false when there was none, or the condition does not hold. */
  remove<Item>(key: Key<Item>, condition?: Condition<NoInfer<Item>>): Promise<boolean>;
}

/** Returns the platform's table in DynamoDB. Errors are thrown as the SDK's. */
export function platformTable({ client, table }: { client: DynamoDBClient; table: string }): PlatformTable {
  const at = ({ pk, sk }: Key) => ({ TableName: table, Key: { pk: { S: pk }, sk: { S: sk } } });
  return {
    read: async <Item>(key: Key<Item>) => {
      const { Item: stored } = await client.send(new GetItemCommand({ ...at(key), ConsistentRead: true }));
      return stored ? itemOf<Item>(stored) : null;
    },
    list: <Item>({ pk }: Partition<Item>, until?: string) => {
      const asked = {
        KeyConditionExpression: until === undefined ? 'pk = :pk' : 'pk = :pk AND sk <= :until',
        ExpressionAttributeValues: { ':pk': { S: pk }, ...(until !== undefined && { ':until': { S: until } }) },
      };
      return itemsOf<Item>(paginateQuery({ client }, { TableName: table, ConsistentRead: true, ...asked }));
    },
    write: (key, changes, condition) => {
      const values = Object.entries(changes).map(([name, value]) => [name, value === null ? null : encoded(value)]);
      const update = conditioned(updateOf(Object.fromEntries(values)), condition);
      return holds(client.send(new UpdateItemCommand({ ...at(key), ...update })));
    },
    remove: (key, condition = { exists: true }) =>
      holds(client.send(new DeleteItemCommand({ ...at(key), ...conditioned({}, condition) }))),
  };
}

type Attributes = Record<string, AttributeValue>;

async function itemsOf<Item>(
  pages: AsyncIterable<{ readonly Items?: Attributes[] | undefined }>,
): Promise<readonly Stored<Item>[]> {
  const items: Stored<Item>[] = [];
  for await (const { Items = [] } of pages) items.push(...Items.map((one) => itemOf<Item>(one)));
  return items;
}

function itemOf<Item>(attributes: Attributes): Stored<Item> {
  const values = Object.entries(attributes).flatMap(([name, { S }]) => {
    const value = S === undefined ? undefined : decoded(name, S);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(values);
}

function decoded(name: string, text: string): unknown {
  if (!Object.hasOwn(STORED_AS_JSON, name)) return text;
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

function encoded(value: unknown): AttributeValue {
  return { S: typeof value === 'string' ? value : JSON.stringify(value) };
}

/** Whether the condition of a write holds. */
async function holds(written: Promise<object>): Promise<boolean> {
  return (await unless('ConditionalCheckFailedException', written)) !== undefined;
}

/** The parts of a write that a condition adds to. */
interface Write {
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Attributes;
}

function conditioned<Item>(write: Write, condition: Condition<Item> | undefined) {
  if (!condition) return write;
  if (condition.exists !== undefined) {
    return { ...write, ConditionExpression: condition.exists ? 'attribute_exists(pk)' : 'attribute_not_exists(pk)' };
  }
  const named = {
    ...write,
    ExpressionAttributeNames: { ...write.ExpressionAttributeNames, '#known': condition.attribute },
  };
  if (condition.is === null) {
    return { ...named, ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(#known)' };
  }
  const ExpressionAttributeValues = { ...write.ExpressionAttributeValues, ':known': encoded(condition.is) };
  return { ...named, ExpressionAttributeValues, ConditionExpression: '#known = :known' };
}

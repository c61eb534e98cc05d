import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';

/** An item: all its attributes are strings. */
export type Item = Readonly<Record<string, string>>;

/** The key of an item. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** The condition of a write: whether the item exists, or the value of an attribute (null: none). */
export type Condition =
  | { readonly exists: boolean }
  | { readonly attribute: string; readonly is: string | null; readonly exists?: undefined };

/** The table of the platform: its users, applications and snapshots. */
export interface PlatformTable {
  /** Returns an item as of now; null when there is none. */
  read(key: Key): Promise<Item | null>;
  /** Returns the items of a partition in the order of their sort keys, with the sort key as `sk`. */
  list(pk: string): Promise<readonly Item[]>;
  /** Returns the items of all partitions whose key begins so. It reads the whole table: for the operator only. */
  scan(prefix: string): Promise<readonly Item[]>;
  /**
   * Sets attributes, removes those that are null, and keeps the others. Returns false when the condition does not hold.
   */
  write(key: Key, changes: Readonly<Record<string, string | null>>, condition?: Condition): Promise<boolean>;
  /** Removes an item. Returns false when there was none. */
  remove(key: Key): Promise<boolean>;
}

/** Returns the platform's table in DynamoDB. Errors are thrown as the SDK's. */
export function platformTable({ client, table }: { client: DynamoDBClient; table: string }): PlatformTable {
  const at = ({ pk, sk }: Key) => ({ TableName: table, Key: { pk: { S: pk }, sk: { S: sk } } });
  return {
    read: async (key) => {
      const { Item } = await client.send(new GetItemCommand({ ...at(key), ConsistentRead: true }));
      return Item ? itemOf(Item) : null;
    },
    list: (pk) => {
      const asked = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: pk } } };
      return allPages((from) =>
        client.send(new QueryCommand({ TableName: table, ConsistentRead: true, ...asked, ...from })),
      );
    },
    scan: (prefix) => {
      const asked = { FilterExpression: 'begins_with(pk, :pk)', ExpressionAttributeValues: { ':pk': { S: prefix } } };
      return allPages((from) =>
        client.send(new ScanCommand({ TableName: table, ConsistentRead: true, ...asked, ...from })),
      );
    },
    write: (key, changes, condition) =>
      whenHolds(() => client.send(new UpdateItemCommand({ ...at(key), ...updateOf(changes, condition) }))),
    remove: (key) =>
      whenHolds(() => client.send(new DeleteItemCommand({ ...at(key), ConditionExpression: 'attribute_exists(pk)' }))),
  };
}

interface Page {
  readonly Items?: Record<string, AttributeValue>[] | undefined;
  readonly LastEvaluatedKey?: Record<string, AttributeValue> | undefined;
}

async function allPages(
  read: (from: { ExclusiveStartKey?: Record<string, AttributeValue> }) => Promise<Page>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let from: Record<string, AttributeValue> | undefined;
  do {
    const page = await read(from ? { ExclusiveStartKey: from } : {});
    items.push(...(page.Items ?? []).map(itemOf));
    from = page.LastEvaluatedKey;
  } while (from);
  return items;
}

function itemOf(attributes: Readonly<Record<string, AttributeValue>>): Item {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, { S }]) => (S === undefined ? [] : [[name, S]])),
  );
}

async function whenHolds(send: () => Promise<unknown>): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

function updateOf(changes: Readonly<Record<string, string | null>>, condition: Condition | undefined) {
  const names: Record<string, string> = {};
  const values: Record<string, AttributeValue> = {};
  const [set, removed]: [string[], string[]] = [[], []];
  for (const [name, value] of Object.entries(changes)) {
    names[`#${name}`] = name;
    if (value === null) removed.push(`#${name}`);
    else {
      values[`:${name}`] = { S: value };
      set.push(`#${name} = :${name}`);
    }
  }
  const clauses = [set.length > 0 && `SET ${set.join(', ')}`, removed.length > 0 && `REMOVE ${removed.join(', ')}`];
  const ConditionExpression = conditionOf(condition, names, values);
  return {
    UpdateExpression: clauses.filter(Boolean).join(' '),
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    ...(ConditionExpression !== undefined && { ConditionExpression }),
  };
}

function conditionOf(
  condition: Condition | undefined,
  names: Record<string, string>,
  values: Record<string, AttributeValue>,
): string | undefined {
  if (!condition) return undefined;
  if (condition.exists !== undefined) return condition.exists ? 'attribute_exists(pk)' : 'attribute_not_exists(pk)';
  names['#known'] = condition.attribute;
  if (condition.is === null) return 'attribute_exists(pk) AND attribute_not_exists(#known)';
  values[':known'] = { S: condition.is };
  return '#known = :known';
}

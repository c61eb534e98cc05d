import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';

/** A table with a time to live. */
export interface Expiring {
  readonly table: string;
  /** The attribute with the epoch second at which an item expires. */
  readonly attribute: string;
}

interface Sweep extends Expiring {
  readonly client: DynamoDBClient;
  readonly signal: AbortSignal;
}

/** DynamoDB keeps items that expired longer ago: such a number is probably not a time in seconds. */
const OLDEST_SECONDS = 5 * 365 * 86_400;

/** `#expires` is the attribute's name in the scan and in the deletion. */
const CONDITION = '#expires < :now AND #expires > :oldest';

/**
 * Deletes the expired items of a table.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
 */
export async function deleteExpiredItems(sweep: Sweep): Promise<void> {
  const { table, attribute, client, signal } = sweep;
  const names = Object.fromEntries((await keysOf(sweep)).map((key, index) => [`#key${index}`, key]));
  const now = Math.floor(Date.now() / 1000);
  const ExpressionAttributeValues = { ':now': { N: `${now}` }, ':oldest': { N: `${now - OLDEST_SECONDS}` } };
  const pages = paginateScan(
    { client },
    {
      TableName: table,
      FilterExpression: CONDITION,
      ProjectionExpression: Object.keys(names).join(', '),
      ExpressionAttributeNames: { ...names, '#expires': attribute },
      ExpressionAttributeValues,
    },
  );
  for await (const { Items = [] } of pages) {
    for (const key of Items) {
      if (signal.aborted) return;
      await deleteItem(sweep, key, ExpressionAttributeValues);
    }
  }
}

async function keysOf({ table, client }: Sweep): Promise<string[]> {
  const { Table: described } = await client.send(new DescribeTableCommand({ TableName: table }));
  return (described?.KeySchema ?? []).map(({ AttributeName = '' }) => AttributeName);
}

type Item = Record<string, AttributeValue>;

/** Conditional, because the item may have been updated or deleted since it was read. */
async function deleteItem(
  { table, attribute, client }: Sweep,
  Key: Item,
  ExpressionAttributeValues: Item,
): Promise<void> {
  const request = new DeleteItemCommand({
    TableName: table,
    Key,
    ConditionExpression: CONDITION,
    ExpressionAttributeNames: { '#expires': attribute },
    ExpressionAttributeValues,
  });
  await client.send(request).catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}

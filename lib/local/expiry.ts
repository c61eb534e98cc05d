import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DescribeTableCommand,
  DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { boolean, looseObject, optional, parse, string } from 'valibot';
import { clientFor } from './clients.ts';
import type { Endpoints } from './emulators.ts';
import type { Running, Warn } from './invoker.ts';
import { nameOfResource } from './resources.ts';
import type { Template } from './template.ts';

const WithTimeToLive = looseObject({
  TimeToLiveSpecification: optional(looseObject({ AttributeName: string(), Enabled: boolean() })),
});

interface Table {
  readonly name: string;
  /** The attribute that holds the second, since 1970, from which on an item may go. */
  readonly attribute: string;
}

const DEFAULT_INTERVAL_MS = 10 * 60_000;

/** DynamoDB leaves items alone that expired longer ago: then the number is more likely not a time in seconds. */
const OLDEST_SECONDS = 5 * 365 * 86_400;

/**
 * Deletes expired items from the tables that have a time to live, at once and then every ten minutes: DynamoDB does
 * this within days of the expiry, the emulator never. The stream shows such a deletion as any other.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
 */
export function startExpiry(options: {
  template: Template;
  endpoints: Pick<Endpoints, 'dynamodb'>;
  warn: Warn;
  intervalMs?: number;
}): Running {
  const stop = new AbortController();
  const client = new DynamoDBClient(clientFor(options.endpoints.dynamodb));
  const loops = tablesOf(options.template).map((table) =>
    repeat({ ...options, client, table, signal: stop.signal }, options.intervalMs ?? DEFAULT_INTERVAL_MS),
  );
  return {
    close: async () => {
      stop.abort();
      await Promise.all(loops);
      client.destroy();
    },
  };
}

function tablesOf(template: Template): Table[] {
  const resources = [...template.ofType('AWS::DynamoDB::Table'), ...template.ofType('AWS::DynamoDB::GlobalTable')];
  return resources.flatMap((resource) => {
    const { TimeToLiveSpecification: ttl } = parse(WithTimeToLive, resource.properties);
    return ttl?.Enabled ? [{ name: nameOfResource(resource), attribute: ttl.AttributeName }] : [];
  });
}

interface Sweep {
  readonly table: Table;
  readonly client: DynamoDBClient;
  readonly signal: AbortSignal;
  readonly warn: Warn;
}

async function repeat(sweep: Sweep, intervalMs: number): Promise<void> {
  const { signal, table, warn } = sweep;
  while (!signal.aborted) {
    await deleteExpired(sweep).catch((error: Error) => {
      if (!signal.aborted) warn(`Expired items of ${table.name} could not be deleted: ${error.message}`);
    });
    await sleep(intervalMs, undefined, { signal }).catch(() => {});
  }
}

/** The attribute's name stands for `#expires` in both requests. */
const CONDITION = '#expires < :now AND #expires > :oldest';

async function deleteExpired(sweep: Sweep): Promise<void> {
  const { table, client, signal } = sweep;
  const names = Object.fromEntries((await keysOf(sweep)).map((key, index) => [`#key${index}`, key]));
  const now = Math.floor(Date.now() / 1000);
  const ExpressionAttributeValues = { ':now': { N: `${now}` }, ':oldest': { N: `${now - OLDEST_SECONDS}` } };
  const pages = paginateScan(
    { client },
    {
      TableName: table.name,
      FilterExpression: CONDITION,
      ProjectionExpression: Object.keys(names).join(', '),
      ExpressionAttributeNames: { ...names, '#expires': table.attribute },
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
  const { Table: described } = await client.send(new DescribeTableCommand({ TableName: table.name }));
  return (described?.KeySchema ?? []).map(({ AttributeName = '' }) => AttributeName);
}

type Item = Record<string, AttributeValue>;

/** On condition, since the item may have been given a longer life, or be gone, since it was read. */
async function deleteItem({ table, client }: Sweep, Key: Item, ExpressionAttributeValues: Item): Promise<void> {
  const request = new DeleteItemCommand({
    TableName: table.name,
    Key,
    ConditionExpression: CONDITION,
    ExpressionAttributeNames: { '#expires': table.attribute },
    ExpressionAttributeValues,
  });
  await client.send(request).catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}

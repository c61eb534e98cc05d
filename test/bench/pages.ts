import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BatchWriteItemCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { entryItem, keys, N } from '../../functions/adapters/stores/dynamodb/items.ts';
import { dynamoDbReader } from '../../functions/adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../../functions/adapters/system/clock.ts';
import { systemIds } from '../../functions/adapters/system/ids.ts';
import { startDynamoDb } from '../aws-local/emulators/dynamodb.ts';
import { appending } from '../contracts/deploy-log.ts';
import { createLogTable, emulatorClient } from '../support/dynamodb-table.ts';
import { testFolder } from '../support/service/place.ts';
import type { BenchRow } from './row.ts';
import { median, milliseconds, ratioOf } from './statistics.ts';

const ENTRIES = 20_000;
const ROUNDS = 200;
const TABLE = 'log';
const USER = 'ann';

/** Measures a page of ten entries, the first and a late one, of a user with 20 000 entries. */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = join(testFolder, 'bench-pages');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const database = await startDynamoDb({ file: join(folder, 'log.sqlite'), externalEndpoint: undefined });
  try {
    const client = emulatorClient(database.endpoint);
    await createLogTable(client, TABLE);
    await fill(client);
    return [await compare(client)];
  } finally {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(client: DynamoDBClient): Promise<void> {
  for (let first = 1; first <= ENTRIES; first += 25) {
    const items = Array.from({ length: 25 }, (_, place) => itemOf(first + place));
    const RequestItems = { [TABLE]: items.map((Item) => ({ PutRequest: { Item } })) };
    await client.send(new BatchWriteItemCommand({ RequestItems }));
  }
  const head = { ...keys.counters(USER), changes: N(ENTRIES), entries: N(ENTRIES) };
  await client.send(new PutItemCommand({ TableName: TABLE, Item: head }));
}

function itemOf(number: number) {
  const draft = { ...appending(USER).draft, status: 'ok' as const };
  const entry = { ...draft, number, id: String(number).padStart(32, '0'), seq: number };
  return entryItem(
    entry,
    { attempts: 0, restarts: 0, lease: null, takenAt: null, appPosition: null, counted: null },
    0,
  );
}

async function compare(client: DynamoDBClient): Promise<BenchRow> {
  const reader = dynamoDbReader({ client, table: TABLE, clock: systemClock, ids: systemIds });
  const times = { near: [] as number[], far: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.near.push(await timed(() => reader.page({ user: USER, app: null, skip: 0, limit: 10 })));
    times.far.push(await timed(() => reader.page({ user: USER, app: null, skip: 10_000, limit: 10 })));
  }
  const [near, far] = [median(times.near), median(times.far)];
  const ratio = ratioOf(far, near);
  return {
    figure: 'page of 10 at skip 10 000 of 20 000 entries',
    value: milliseconds(far),
    baseline: milliseconds(near),
    ratio,
    target: '≤ 1.2 × the page at skip 0',
    reached: ratio <= 1.2,
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

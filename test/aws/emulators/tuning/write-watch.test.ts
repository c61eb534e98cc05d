import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientFor } from '../../../aws-local/clients.ts';
import { type DynamoDb, startDynamoDb } from '../../../aws-local/emulators/dynamodb.ts';
import { databaseWrites } from '../../../aws-local/tuning/write-watch.ts';

const folder = mkdtempSync(join(tmpdir(), 'writes-'));
const item = { TableName: 'log', Item: { pk: { S: 'ann' } } };
let database: DynamoDb;
let client: DynamoDBClient;
let notifications = 0;
const notify = () => {
  notifications += 1;
};

beforeAll(async () => {
  database = await startDynamoDb({ file: join(folder, 'dynamodb.sqlite') });
  client = new DynamoDBClient(clientFor(database.endpoint));
  await client.send(
    new CreateTableCommand({
      TableName: 'log',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
});
afterAll(async () => {
  client.destroy();
  await database.close();
  rmSync(folder, { recursive: true });
});

it('a watch notifies of the next write once, and of another one after a second call', async () => {
  notifications = 0;
  const { writes } = database;
  writes?.next(notify);
  await client.send(new PutItemCommand(item));
  await expect.poll(() => notifications).toBe(1);
  await client.send(new PutItemCommand(item));
  await sleep(50);
  expect(notifications).toBe(1);
  writes?.next(notify);
  await client.send(new PutItemCommand(item));
  await expect.poll(() => notifications).toBe(2);
});

it('a watch does not notify of reads, nor after its close', async () => {
  notifications = 0;
  const writes = databaseWrites(join(folder, 'dynamodb.sqlite'));
  writes.next(notify);
  await client.send(new GetItemCommand({ TableName: 'log', Key: { pk: { S: 'ann' } } }));
  await sleep(50);
  writes.close();
  await client.send(new PutItemCommand(item));
  await sleep(50);
  expect(notifications).toBe(0);
});

it('a folder that cannot be watched causes no notification and no error', () => {
  const writes = databaseWrites('/nowhere/at/all');
  expect(() => writes.next(() => {})).not.toThrow();
  writes.close();
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AttributeValue, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientFor } from '../../../lib/local/clients.ts';
import { type Emulators, startEmulators } from '../../../lib/local/emulators.ts';
import { startExpiry } from '../../../lib/local/expiry.ts';
import { createResources } from '../../../lib/local/resources.ts';
import { templateOf } from './template-fixture.ts';

let dataDir: string;
let emulators: Emulators;
let client: DynamoDBClient;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'expiry-'));
  emulators = await startEmulators({ dataDir });
  client = new DynamoDBClient(clientFor(emulators.endpoints.dynamodb));
});
afterAll(async () => {
  await emulators.close();
  await rm(dataDir, { recursive: true });
});

it('Items go after their time to live; those with time left, without one, or with a nonsense one stay', async () => {
  const template = templateOf({
    Log: [
      'AWS::DynamoDB::Table',
      {
        AttributeDefinitions: ['pk', 'sk'].map((key) => ({ AttributeName: key, AttributeType: 'S' })),
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
      },
    ],
  });
  await createResources({ template, endpoints: emulators.endpoints });
  const now = Math.floor(Date.now() / 1000);
  const put = (sk: string, expires?: AttributeValue) =>
    client.send(
      new PutItemCommand({ TableName: 'Log', Item: { pk: { S: 'u' }, sk: { S: sk }, ...(expires && { expires }) } }),
    );
  await put('gone', { N: `${now - 10}` });
  await put('going', { N: `${now + 1}` });
  await put('left', { N: `${now + 600}` });
  await put('without');
  await put('text', { S: `${now - 10}` });
  await put('ancient', { N: '12' });
  const expiry = startExpiry({
    template,
    endpoints: emulators.endpoints,
    warn: (sentence) => expect.fail(sentence),
    intervalMs: 200,
  });
  const kept = async () => {
    const { Items } = await client.send(new ScanCommand({ TableName: 'Log' }));
    return Items?.map((item) => item.sk?.S).sort();
  };
  await expect.poll(kept, { timeout: 5000 }).toEqual(['ancient', 'left', 'text', 'without']);
  const asked = performance.now();
  await expiry.close();
  expect(performance.now() - asked).toBeLessThan(200);
});

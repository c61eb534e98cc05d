import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AttributeValue, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { clientFor } from '../../../aws-local/clients.ts';
import { type Emulators, startEmulators } from '../../../aws-local/emulators/emulators.ts';
import { createResources } from '../../../aws-local/resources/resources.ts';
import { startExpiry } from '../../../aws-local/sources/expiry/expiry.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';

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

it('items are deleted after their time to live; those with time left, without one, or with an invalid one are kept', async () => {
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
    intervalMs: 300,
  });
  const kept = async () => {
    const { Items } = await client.send(new ScanCommand({ TableName: 'Log' }));
    return Items?.map((item) => item.sk?.S).sort();
  };
  await expect.poll(kept).toEqual(['ancient', 'left', 'text', 'without']);
  await expiry.close();
});

it('objects are deleted when they are older than a rule of the bucket allows, and only those that the rule matches', async () => {
  const rules = [
    { Status: 'Enabled', ExpirationInDays: 2, Prefix: 'old/' },
    { Status: 'Disabled', ExpirationInDays: 1 },
  ];
  const template = templateOf({ Tarballs: ['AWS::S3::Bucket', { LifecycleConfiguration: { Rules: rules } }] });
  await createResources({ template, endpoints: emulators.endpoints });
  const storage = new S3Client(clientFor(emulators.endpoints.s3));
  for (const Key of ['old/1', 'new/1'])
    await storage.send(new PutObjectCommand({ Bucket: 'tarballs', Key, Body: 'x' }));
  const kept = async () => {
    const { Contents = [] } = await storage.send(new ListObjectsV2Command({ Bucket: 'tarballs' }));
    return Contents.map((object) => object.Key);
  };
  const options = {
    template,
    endpoints: emulators.endpoints,
    warn: (sentence: string) => expect.fail(sentence),
    intervalMs: 50,
  };
  const first = startExpiry(options);
  await sleep(200);
  await first.close();
  expect(await kept()).toEqual(['new/1', 'old/1']);
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + 3 * 86_400_000);
  const second = startExpiry(options);
  await expect.poll(kept).toEqual(['new/1']);
  await second.close();
});

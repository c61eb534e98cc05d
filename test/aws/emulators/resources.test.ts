import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../../aws-local/clients.ts';
import { type Emulators, startEmulators } from '../../aws-local/emulators/emulators.ts';
import { createResources } from '../../aws-local/resources/resources.ts';
import { templateOf } from '../../support/aws-local/template-fixture.ts';

let dataDir: string;
let emulators: Emulators;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'resources-'));
  emulators = await startEmulators({ dataDir });
});
afterAll(async () => {
  await emulators.close();
  await rm(dataDir, { recursive: true });
});

const attributes = (...names: string[]) => names.map((name) => ({ AttributeName: name, AttributeType: 'S' }));
const keys = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];
const index = (name: string) => ({
  IndexName: name,
  KeySchema: keys(`${name}_pk`, 'sk'),
  Projection: { ProjectionType: 'ALL' },
});
const log = {
  AttributeDefinitions: attributes('pk', 'sk'),
  KeySchema: keys('pk', 'sk'),
  BillingMode: 'PAY_PER_REQUEST',
  StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
  TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
  Replicas: [{ Region: 'us-east-1', DeletionProtectionEnabled: true }],
};

describe('Tables', () => {
  it('a table gets its keys, stream and time to live from the template', async () => {
    const client = new DynamoDBClient(clientFor(emulators.endpoints.dynamodb));
    const template = templateOf({ Log: ['AWS::DynamoDB::GlobalTable', { ...log, TableName: 'log' }] });
    await createResources({ template, endpoints: emulators.endpoints });
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'log' }));
    expect(Table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_IMAGE' });
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: 'log' }));
    expect(TimeToLiveDescription).toEqual({ AttributeName: 'expires', TimeToLiveStatus: 'ENABLED' });
  });

  it('a table has the indexes of the template', async () => {
    const client = new DynamoDBClient(clientFor(emulators.endpoints.dynamodb));
    const indexed = {
      ...log,
      AttributeDefinitions: attributes('pk', 'sk', 'byApp_pk'),
      GlobalSecondaryIndexes: [index('byApp')],
    };
    const template = templateOf({ Kept: ['AWS::DynamoDB::Table', indexed] });
    await createResources({ template, endpoints: emulators.endpoints });
    await client.send(
      new PutItemCommand({ TableName: 'Kept', Item: { pk: { S: 'u' }, sk: { S: 'HEAD' }, byApp_pk: { S: 'a' } } }),
    );
    const { Count } = await client.send(new ScanCommand({ TableName: 'Kept', IndexName: 'byApp' }));
    expect(Count).toBe(1);
  });

  it('a table without keys is refused with the reason', async () => {
    const template = templateOf({ Odd: ['AWS::DynamoDB::Table', { AttributeDefinitions: [] }] });
    await expect(createResources({ template, endpoints: emulators.endpoints })).rejects.toThrow('KeySchema');
  });
});

describe('Queues', () => {
  const template = templateOf({
    Check: [
      'AWS::SQS::Queue',
      {
        FifoQueue: true,
        VisibilityTimeout: 0,
        RedrivePolicy: {
          deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:CheckDead.fifo',
          maxReceiveCount: 2,
        },
      },
    ],
    CheckDead: ['AWS::SQS::Queue', { FifoQueue: true, MessageRetentionPeriod: 1209600 }],
  });

  it('a message that was received too often is moved to the dead-letter queue, also of a FIFO queue', async () => {
    const client = new SQSClient(clientFor(emulators.endpoints.sqs));
    await createResources({ template, endpoints: emulators.endpoints });
    const QueueUrl = `${emulators.endpoints.sqs}/000000000000/Check.fifo`;
    await client.send(
      new SendMessageCommand({ QueueUrl, MessageBody: 'bad', MessageGroupId: 'g', MessageDeduplicationId: '1' }),
    );
    for (let receive = 0; receive < 3; receive += 1) await client.send(new ReceiveMessageCommand({ QueueUrl }));
    const dead = await client.send(
      new ReceiveMessageCommand({ QueueUrl: `${emulators.endpoints.sqs}/000000000000/CheckDead.fifo` }),
    );
    expect(dead.Messages?.[0]?.Body).toBe('bad');
  });
});

describe('Buckets', () => {
  it('a bucket is created under its lower-case name', async () => {
    const template = templateOf({ Tarballs: ['AWS::S3::Bucket', {}] });
    await createResources({ template, endpoints: emulators.endpoints });
    const found = await new S3Client(clientFor(emulators.endpoints.s3)).send(
      new HeadBucketCommand({ Bucket: 'tarballs' }),
    );
    expect(found.$metadata.httpStatusCode).toBe(200);
  });
});

describe('Secrets', () => {
  it('a secret is generated by the rules of the template', async () => {
    const rules = {
      PasswordLength: 40,
      ExcludePunctuation: true,
      ExcludeCharacters: 'abc',
      GenerateStringKey: 'token',
      SecretStringTemplate: '{"user":"service"}',
    };
    const template = templateOf({ Token: ['AWS::SecretsManager::Secret', { GenerateSecretString: rules }] });
    await createResources({ template, endpoints: emulators.endpoints });
    const first = emulators.secretValue('arn:aws:secretsmanager:us-east-1:000000000000:secret:Token');
    expect(JSON.parse(first)).toEqual({ user: 'service', token: expect.stringMatching(/^[d-zA-Z0-9]{40}$/) });
    expect(emulators.secretValue('Token')).toBe(first);
  });
});

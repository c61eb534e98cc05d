import { DescribeTableCommand, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../../aws-local/clients.ts';
import { type Emulators, startEmulators } from '../../aws-local/emulators/emulators.ts';
import { secretsOf } from '../../aws-local/emulators/secrets.ts';
import { createResources } from '../../aws-local/resources/resources.ts';
import { templateOf } from '../../support/aws-local/template-fixture.ts';

let emulators: Emulators;

beforeAll(async () => {
  emulators = await startEmulators();
});
afterAll(() => emulators.close());

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
  it('a table gets its keys and stream from the template', async () => {
    const client = new DynamoDBClient(clientFor(emulators.endpoints.dynamodb));
    const template = templateOf({ Log: ['AWS::DynamoDB::GlobalTable', { ...log, TableName: 'log' }] });
    await createResources({ template, endpoints: emulators.endpoints });
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'log' }));
    expect(Table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_IMAGE' });
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

  it.each([true, false])(
    'a queue is refused when its dead-letter queue is of the other type: FIFO %s',
    async (fifo) => {
      const dead = fifo ? 'MixedDead' : 'MixedDead.fifo';
      const RedrivePolicy = { deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:${dead}`, maxReceiveCount: 2 };
      const mixed = templateOf({ Mixed: ['AWS::SQS::Queue', { ...(fifo && { FifoQueue: true }), RedrivePolicy }] });
      const creating = createResources({ template: mixed, endpoints: emulators.endpoints });
      await expect(creating).rejects.toThrow('Dead-letter queue must be same type of queue as the source');
    },
  );
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
  const secrets = (properties: Record<string, unknown>) =>
    secretsOf(templateOf({ Token: ['AWS::SecretsManager::Secret', properties] }));

  it('a secret has the value of the template, or is generated by its rules', () => {
    expect(secrets({ SecretString: '{}' }).get('Token')).toBe('{}');
    const rules = { PasswordLength: 48, ExcludePunctuation: true };
    expect(secrets({ GenerateSecretString: rules }).get('Token')).toMatch(/^[a-zA-Z0-9]{48}$/);
  });

  it('a rule that is not emulated is refused', () => {
    expect(() => secrets({ GenerateSecretString: { ExcludePunctuation: true, IncludeSpace: true } })).toThrow();
  });
});

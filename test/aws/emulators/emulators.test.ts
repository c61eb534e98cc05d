import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiGatewayManagementApiClient, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import {
  CreateTableCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { DecryptCommand, EncryptCommand, KMSClient, ListAliasesCommand } from '@aws-sdk/client-kms';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { Upload } from '@aws-sdk/lib-storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../../aws-local/clients.ts';
import { type Emulators, startEmulators } from '../../aws-local/emulators/emulators.ts';
import { kmsService } from '../../aws-local/emulators/kms.ts';
import { secretsService } from '../../aws-local/emulators/secrets.ts';
import { startWireEndpoint, type WireEndpoint } from '../../aws-local/wire/endpoint.ts';

let emulators: Emulators;
let security: WireEndpoint;

beforeAll(async () => {
  emulators = await startEmulators();
  security = await startWireEndpoint([kmsService(), secretsService(new Map([['given', 'chosen']]))], () => {});
});
afterAll(async () => {
  await emulators.close();
  await security.close();
});

async function createLog(client: DynamoDBClient, TableName: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk', 'app_pk', 'app_sk'].map((name) => ({
        AttributeName: name,
        AttributeType: 'S',
      })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byApp',
          KeySchema: [
            { AttributeName: 'app_pk', KeyType: 'HASH' },
            { AttributeName: 'app_sk', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    }),
  );
}

describe('DynamoDB', () => {
  it('a cancelled transaction returns the item that failed its condition', async () => {
    const client = new DynamoDBClient(clientFor(emulators.endpoints.dynamodb));
    await createLog(client, 'transactions');
    await client.send(
      new PutItemCommand({
        TableName: 'transactions',
        Item: { pk: { S: 'u' }, sk: { S: 'HEAD' }, changes: { N: '4' } },
      }),
    );
    const write = client.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          {
            Update: {
              TableName: 'transactions',
              Key: { pk: { S: 'u' }, sk: { S: 'HEAD' } },
              UpdateExpression: 'SET changes = :next',
              ConditionExpression: 'changes = :now',
              ExpressionAttributeValues: { ':now': { N: '3' }, ':next': { N: '4' } },
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            },
          },
          { Put: { TableName: 'transactions', Item: { pk: { S: 'u' }, sk: { S: 'C#4' } } } },
        ],
      }),
    );
    const error = await write.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TransactionCanceledException);
    expect(error instanceof TransactionCanceledException && error.CancellationReasons?.[0]?.Item?.changes).toEqual({
      N: '4',
    });
    const kept = await client.send(
      new QueryCommand({
        TableName: 'transactions',
        KeyConditionExpression: 'pk = :u',
        ExpressionAttributeValues: { ':u': { S: 'u' } },
      }),
    );
    expect(kept.Count).toBe(1);
  });

  it('a secondary index returns an item immediately after its write', async () => {
    const client = new DynamoDBClient(clientFor(emulators.endpoints.dynamodb));
    await createLog(client, 'indexed');
    await client.send(
      new PutItemCommand({
        TableName: 'indexed',
        Item: { pk: { S: 'u' }, sk: { S: 'E#1' }, app_pk: { S: 'u#a' }, app_sk: { S: '1' } },
      }),
    );
    const found = await client.send(
      new QueryCommand({
        TableName: 'indexed',
        IndexName: 'byApp',
        KeyConditionExpression: 'app_pk = :a',
        ExpressionAttributeValues: { ':a': { S: 'u#a' } },
      }),
    );
    expect(found.Items?.[0]?.sk).toEqual({ S: 'E#1' });
  });
});

describe('SQS', () => {
  it('queue URLs have the host of the endpoint and find the queue', async () => {
    const client = new SQSClient(clientFor(emulators.endpoints.sqs));
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: 'reachable' }));
    expect(QueueUrl).toBe(`${emulators.endpoints.sqs}/000000000000/reachable`);
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'hello' }));
    const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
    expect(Messages?.[0]?.Body).toBe('hello');
  });

  it('a long poll returns as soon as a message is sent', async () => {
    const client = new SQSClient(clientFor(emulators.endpoints.sqs));
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: 'awake' }));
    const receiving = client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
    await sleep(100);
    const sent = performance.now();
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'now' }));
    expect((await receiving).Messages).toHaveLength(1);
    // Without the message it would wait for twenty seconds.
    expect(performance.now() - sent).toBeLessThan(15_000);
  });

  it('a FIFO queue drops a message with a known deduplication id and keeps the order within a group', async () => {
    const client = new SQSClient(clientFor(emulators.endpoints.sqs));
    const { QueueUrl } = await client.send(
      new CreateQueueCommand({ QueueName: 'order.fifo', Attributes: { FifoQueue: 'true' } }),
    );
    for (const body of ['1', '2', '2', '3']) {
      await client.send(
        new SendMessageCommand({ QueueUrl, MessageBody: body, MessageGroupId: 'g', MessageDeduplicationId: body }),
      );
    }
    const bodies: unknown[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 1 }));
      bodies.push(Messages?.[0]?.Body);
      const ReceiptHandle = Messages?.[0]?.ReceiptHandle;
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
    expect(bodies).toEqual(['1', '2', '3']);
  });

  it('a message in flight holds back the later ones of its group, but not other groups', async () => {
    const client = new SQSClient(clientFor(emulators.endpoints.sqs));
    const { QueueUrl } = await client.send(
      new CreateQueueCommand({ QueueName: 'groups.fifo', Attributes: { FifoQueue: 'true' } }),
    );
    for (const [body, group] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['b1', 'b'],
    ]) {
      await client.send(
        new SendMessageCommand({ QueueUrl, MessageBody: body, MessageGroupId: group, MessageDeduplicationId: body }),
      );
    }
    const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    expect(Messages?.map((message) => message.Body)).toEqual(['a1', 'b1']);
    expect((await client.send(new ReceiveMessageCommand({ QueueUrl }))).Messages).toBeUndefined();
  });
});

describe('S3', () => {
  it('an upload of 30 MB in parts of 8 MiB from a stream of unknown length keeps its bytes', async () => {
    const client = new S3Client(clientFor(emulators.endpoints.s3));
    await client.send(new CreateBucketCommand({ Bucket: 'tarballs' }));
    const chunk = Buffer.alloc(1_000_000, 'abcdefg');
    async function* chunks() {
      for (let count = 0; count < 30; count += 1) yield chunk;
    }
    const upload = new Upload({
      client,
      partSize: 8 * 1024 * 1024,
      params: {
        Bucket: 'tarballs',
        Key: 'u/1.tgz',
        Body: Readable.from(chunks(), { objectMode: false }),
        ContentType: 'application/gzip',
      },
    });
    await upload.done();
    const object = await client.send(new GetObjectCommand({ Bucket: 'tarballs', Key: 'u/1.tgz' }));
    const bytes = await object.Body?.transformToByteArray();
    expect(object.ContentType).toBe('application/gzip');
    expect(Buffer.concat(Array.from({ length: 30 }, () => chunk)).equals(bytes ?? Buffer.alloc(0))).toBe(true);
  });

  it('PutObject accepts an object of 40 MB', async () => {
    const client = new S3Client(clientFor(emulators.endpoints.s3));
    await client.send(new CreateBucketCommand({ Bucket: 'large' }));
    await client.send(new PutObjectCommand({ Bucket: 'large', Key: 'one', Body: Buffer.alloc(40_000_000) }));
    const object = await client.send(new GetObjectCommand({ Bucket: 'large', Key: 'one', Range: 'bytes=0-9' }));
    expect(object.ContentRange).toBe('bytes 0-9/40000000');
    await object.Body?.transformToByteArray();
  });

  it('If-None-Match prevents an overwrite, and Cache-Control is kept', async () => {
    const client = new S3Client(clientFor(emulators.endpoints.s3));
    await client.send(new CreateBucketCommand({ Bucket: 'conditional' }));
    const put = (Body: string) =>
      client.send(
        new PutObjectCommand({ Bucket: 'conditional', Key: 'a', Body, IfNoneMatch: '*', CacheControl: 'no-store' }),
      );
    await put('first');
    await expect(put('second')).rejects.toMatchObject({ name: 'PreconditionFailed' });
    const object = await client.send(new GetObjectCommand({ Bucket: 'conditional', Key: 'a' }));
    expect(await object.Body?.transformToString()).toBe('first');
    expect(object.CacheControl).toBe('no-store');
  });
});

describe('KMS', () => {
  const context = { user: 'u', host: 'github' };

  it('KMS decrypts a ciphertext in the same context only', async () => {
    const client = new KMSClient(clientFor(security.endpoint));
    const { CiphertextBlob } = await client.send(
      new EncryptCommand({ KeyId: 'TokenKey', Plaintext: Buffer.from('s3cret'), EncryptionContext: context }),
    );
    expect(Buffer.from(CiphertextBlob ?? []).includes('s3cret')).toBe(false);
    const opened = await client.send(
      new DecryptCommand({ CiphertextBlob, EncryptionContext: { host: 'github', user: 'u' } }),
    );
    expect(Buffer.from(opened.Plaintext ?? []).toString()).toBe('s3cret');
    const other = client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext: { ...context, user: 'v' } }));
    await expect(other).rejects.toMatchObject({ name: 'InvalidCiphertextException' });
  });
});

describe('A service without an emulator', () => {
  it('a service without an emulator is an error that names the operation, and no call reaches AWS', async () => {
    // Where `AWS_ENDPOINT_URL` points; the SDK calls it for each service without an address of its own.
    const client = new KMSClient(clientFor(security.endpoint));
    await expect(client.send(new ListAliasesCommand({}))).rejects.toMatchObject({
      name: 'ValidationException',
      message: 'ListAliases is not emulated',
    });
    const other = new ApiGatewayManagementApiClient(clientFor(`${security.endpoint}/prod`));
    const posting = other.send(new PostToConnectionCommand({ ConnectionId: 'id', Data: 'not JSON' }));
    await expect(posting).rejects.toThrow(/No emulator has the operation POST \/prod\/\S+connections\/id\./);
  });
});

describe('Secrets Manager', () => {
  it('a secret is returned by name and ARN', async () => {
    const client = new SecretsManagerClient(clientFor(security.endpoint));
    const { ARN, SecretString } = await client.send(new GetSecretValueCommand({ SecretId: 'given' }));
    const byArn = await client.send(new GetSecretValueCommand({ SecretId: ARN }));
    expect([SecretString, byArn.SecretString]).toEqual(['chosen', 'chosen']);
  });

  it('an unknown secret is a ResourceNotFoundException', async () => {
    const client = new SecretsManagerClient(clientFor(security.endpoint));
    await expect(client.send(new GetSecretValueCommand({ SecretId: 'constructor' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});

import { Agent } from 'node:http';
import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../../../aws-local/clients.ts';
import { type Emulators, startEmulators } from '../../../aws-local/emulators/emulators.ts';
import { kmsService } from '../../../aws-local/emulators/kms.ts';
import { secretsService } from '../../../aws-local/emulators/secrets.ts';
import { type Permissions, permissionsOf } from '../../../aws-local/permissions/permissions.ts';
import { startWireEndpoint, type WireEndpoint } from '../../../aws-local/wire/endpoint.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';

const HERE = 'us-east-1:000000000000';
const TABLE = `arn:aws:dynamodb:${HERE}:table`;
const allow = (Action: string[], Resource: string, more: object = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});
const purpose = { Condition: { StringEquals: { 'kms:EncryptionContext:purpose': 'notes' } } };
const statements = [
  allow(['dynamodb:GetItem', 'dynamodb:PutItem'], `${TABLE}/Notes`),
  allow(['s3:GetObject'], 'arn:aws:s3:::notes/open/*'),
  allow(['s3:GetObject'], 'arn:aws:s3:::listed/*'),
  allow(['s3:ListBucket'], 'arn:aws:s3:::listed'),
  allow(['kms:Decrypt'], `arn:aws:kms:${HERE}:key/Key`, purpose),
  allow(['secretsmanager:GetSecretValue'], `arn:aws:secretsmanager:${HERE}:secret:known`),
];

describe('A function calls the emulators with a key of its own', () => {
  const warnings: string[] = [];
  let emulators: Emulators;
  let security: WireEndpoint;
  let permissions: Permissions;
  const closers: (() => void)[] = [];
  const settings = (endpoint: string) => ({
    ...clientFor(endpoint),
    credentials: permissions.credentialsOf('Write'),
    maxAttempts: 1,
  });
  const opened = <C extends { destroy(): void }>(client: C): C => {
    closers.push(() => client.destroy());
    return client;
  };

  beforeAll(async () => {
    const template = templateOf({
      Write: ['AWS::Lambda::Function', { Role: 'arn:aws:iam::000000000000:role/Writer' }],
      Writer: ['AWS::IAM::Role', { Policies: [{ PolicyDocument: { Statement: statements } }] }],
    });
    permissions = permissionsOf(template, (sentence) => warnings.push(sentence));
    emulators = await startEmulators({ guard: permissions.guard });
    const secrets = new Map(['known', 'other'].map((name) => [name, name]));
    security = await startWireEndpoint([kmsService(), secretsService(secrets)], () => {}, permissions.guard);
    const operator = opened(new DynamoDBClient(clientFor(emulators.endpoints.dynamodb)));
    await operator.send(
      new CreateTableCommand({
        TableName: 'Notes',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      }),
    );
    const storage = opened(new S3Client(clientFor(emulators.endpoints.s3)));
    for (const Bucket of ['notes', 'listed']) await storage.send(new CreateBucketCommand({ Bucket }));
    await storage.send(new PutObjectCommand({ Bucket: 'notes', Key: 'closed/a', Body: 'a' }));
  });
  afterAll(async () => {
    for (const close of closers) close();
    await emulators?.close();
    await security?.close();
  });

  const denied = (action: string, resource: string) => ({
    message: expect.stringMatching(
      `^User: arn:aws:sts::000000000000:assumed-role/Writer/Write is not authorized to perform: ${action} on resource: ${resource} because`,
    ),
  });

  it('DynamoDB: what its role allows, and nothing else, on one connection', async () => {
    // One connection, so that requests that are allowed follow refused ones on it.
    const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
    closers.push(() => httpAgent.destroy());
    const client = opened(
      new DynamoDBClient({ ...settings(emulators.endpoints.dynamodb), requestHandler: { httpAgent } }),
    );
    const Item = (text: string) => ({ pk: { S: text }, text: { S: text.repeat(60_000) } });
    const Key = { pk: { S: 'ü' } };
    await client.send(new PutItemCommand({ TableName: 'Notes', Item: Item('ü') }));
    const other = client.send(new PutItemCommand({ TableName: 'Secrets', Item: Item('ü') }));
    await expect(other).rejects.toMatchObject({
      name: 'AccessDeniedException',
      $metadata: { httpStatusCode: 400 },
      ...denied('dynamodb:PutItem', `${TABLE}/Secrets`),
    });
    const query = { TableName: 'Notes', IndexName: 'byText', KeyConditionExpression: 'a = b' };
    await expect(client.send(new QueryCommand(query))).rejects.toMatchObject(
      denied('dynamodb:Query', `${TABLE}/Notes/index/byText`),
    );
    const TransactItems = [{ Put: { TableName: 'Notes', Item: Item('b') } }, { Delete: { TableName: 'Notes', Key } }];
    const both = new TransactWriteItemsCommand({ TransactItems });
    await expect(client.send(both)).rejects.toMatchObject(denied('dynamodb:DeleteItem', `${TABLE}/Notes`));
    const read = (key: typeof Key, ConsistentRead = true) =>
      client.send(new GetItemCommand({ TableName: 'Notes', Key: key, ConsistentRead }));
    expect((await read(Key)).Item).toEqual(Item('ü'));
    expect((await read({ pk: { S: 'b' } })).Item).toBeUndefined();
    await expect(read(Key, false)).rejects.toThrow('without ConsistentRead may be behind the writes');
  });

  it('SQS: it may not send', async () => {
    const client = opened(new SQSClient(settings(emulators.endpoints.sqs)));
    const QueueUrl = `${emulators.endpoints.sqs}/000000000000/jobs`;
    await expect(client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }))).rejects.toMatchObject({
      name: 'AccessDenied',
      $metadata: { httpStatusCode: 403 },
      ...denied('sqs:SendMessage', `arn:aws:sqs:${HERE}:jobs`),
    });
  });

  it('S3: nothing beside its prefix, also not by presigned addresses', async () => {
    const client = opened(new S3Client(settings(emulators.endpoints.s3)));
    const closed = { Bucket: 'notes', Key: 'closed/a' };
    await expect(client.send(new GetObjectCommand(closed))).rejects.toMatchObject({
      name: 'AccessDenied',
      $metadata: { httpStatusCode: 403 },
      ...denied('s3:GetObject', 'arn:aws:s3:::notes/closed/a'),
    });
    const presigned = await fetch(await getSignedUrl(client, new GetObjectCommand(closed)));
    expect([presigned.status, await presigned.text()]).toEqual([
      403,
      expect.stringContaining('<Code>AccessDenied</Code>'),
    ]);
    const put = await getSignedUrl(client, new PutObjectCommand({ Bucket: 'notes', Key: 'closed/b' }));
    expect((await fetch(put, { method: 'PUT', body: 'b' })).status).toBe(403);
  });

  it('S3: who may not list a bucket gets 403 for an object that is not there, as on AWS', async () => {
    const client = opened(new S3Client(settings(emulators.endpoints.s3)));
    const missing = { Bucket: 'notes', Key: 'open/none' };
    await expect(client.send(new GetObjectCommand(missing))).rejects.toMatchObject({
      name: 'AccessDenied',
      ...denied('s3:ListBucket', 'arn:aws:s3:::notes'),
    });
    await expect(client.send(new HeadObjectCommand(missing))).rejects.toMatchObject({
      $metadata: { httpStatusCode: 403 },
    });
    expect(warnings.join()).not.toContain('s3:ListBucket');
    const listed = client.send(new GetObjectCommand({ Bucket: 'listed', Key: 'none' }));
    await expect(listed).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('KMS: only with its key and the encryption context of its condition', async () => {
    const client = opened(new KMSClient(settings(security.endpoint)));
    const operator = opened(new KMSClient(clientFor(security.endpoint)));
    const decrypted = async (KeyId: string, of: string) => {
      const EncryptionContext = { purpose: of };
      const sealed = { KeyId, Plaintext: Buffer.from('text'), EncryptionContext };
      const { CiphertextBlob } = await operator.send(new EncryptCommand(sealed));
      return client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }));
    };
    expect(Buffer.from((await decrypted('Key', 'notes')).Plaintext ?? []).toString()).toBe('text');
    const name = 'AccessDeniedException';
    const key = `arn:aws:kms:${HERE}:key`;
    await expect(decrypted('Key', 'tokens')).rejects.toMatchObject({ name, ...denied('kms:Decrypt', `${key}/Key`) });
    await expect(decrypted('Other', 'notes')).rejects.toMatchObject({ name, ...denied('kms:Decrypt', `${key}/Other`) });
  });

  it('Secrets Manager: its secret and no other, and nothing without the session token of its key', async () => {
    const { accessKeyId, secretAccessKey } = permissions.credentialsOf('Write');
    const read = (SecretId: string, more: object = {}) =>
      opened(new SecretsManagerClient({ ...settings(security.endpoint), ...more })).send(
        new GetSecretValueCommand({ SecretId }),
      );
    expect((await read('known')).SecretString).toBe('known');
    await expect(read('other')).rejects.toMatchObject({ name: 'AccessDeniedException' });
    await expect(read('known', { credentials: { accessKeyId, secretAccessKey } })).rejects.toMatchObject({
      name: 'InvalidSignatureException',
      message: expect.stringContaining('the session token is not that of the key'),
    });
  });
});

import { Agent } from 'node:http';
import {
  type AttributeValue,
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
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
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
const allow = (Action: string[], Resource: string, more: object = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});
const purpose = { Condition: { StringEquals: { 'kms:EncryptionContext:purpose': 'notes' } } };
const statements = [
  allow(['dynamodb:GetItem', 'dynamodb:PutItem'], `arn:aws:dynamodb:${HERE}:table/Notes`),
  allow(['sqs:SendMessage'], `arn:aws:sqs:${HERE}:jobs`),
  allow(['s3:GetObject', 's3:PutObject'], 'arn:aws:s3:::notes/open/*'),
  allow(['s3:GetObject'], 'arn:aws:s3:::listed/*'),
  allow(['s3:ListBucket'], 'arn:aws:s3:::listed'),
  allow(['kms:Encrypt', 'kms:Decrypt'], `arn:aws:kms:${HERE}:key/Key`, purpose),
  allow(['secretsmanager:GetSecretValue'], `arn:aws:secretsmanager:${HERE}:secret:known`),
];
const role = 'arn:aws:iam::000000000000:role/Writer';

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
      Write: ['AWS::Lambda::Function', { Role: role }],
      Writer: ['AWS::IAM::Role', { Policies: [{ PolicyDocument: { Statement: statements } }] }],
    });
    permissions = permissionsOf(template, (sentence) => warnings.push(sentence));
    emulators = await startEmulators({ guard: permissions.guard });
    const secrets = new Map([
      ['known', 'a'],
      ['other', 'b'],
    ]);
    security = await startWireEndpoint([kmsService(), secretsService(secrets)], () => {}, permissions.guard);
    const { dynamodb, sqs, s3 } = emulators.endpoints;
    const operator = opened(new DynamoDBClient(clientFor(dynamodb)));
    for (const TableName of ['Notes', 'Secrets']) {
      await operator.send(
        new CreateTableCommand({
          TableName,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        }),
      );
    }
    await opened(new SQSClient(clientFor(sqs))).send(new CreateQueueCommand({ QueueName: 'jobs' }));
    const storage = opened(new S3Client(clientFor(s3)));
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
    await client.send(new PutItemCommand({ TableName: 'Notes', Item: Item('ü') }));
    const other = client.send(new PutItemCommand({ TableName: 'Secrets', Item: Item('ü') }));
    const table = (name: string) => `arn:aws:dynamodb:${HERE}:table/${name}`;
    await expect(other).rejects.toMatchObject({
      name: 'AccessDeniedException',
      $metadata: { httpStatusCode: 400 },
      ...denied('dynamodb:PutItem', table('Secrets')),
    });
    const read = await client.send(new GetItemCommand({ TableName: 'Notes', Key: { pk: { S: 'ü' } } }));
    expect(read.Item).toEqual(Item('ü'));
    const query = { TableName: 'Notes', IndexName: 'byText', KeyConditionExpression: 'a = b' };
    await expect(client.send(new QueryCommand(query))).rejects.toMatchObject(
      denied('dynamodb:Query', `${table('Notes')}/index/byText`),
    );
    const transaction = (Key: Record<string, AttributeValue>) => [
      { Put: { TableName: 'Notes', Item: Item('b') } },
      { Delete: { TableName: 'Notes', Key } },
    ];
    const both = new TransactWriteItemsCommand({ TransactItems: transaction({ pk: { S: 'ü' } }) });
    await expect(client.send(both)).rejects.toMatchObject(denied('dynamodb:DeleteItem', table('Notes')));
    const after = await client.send(new GetItemCommand({ TableName: 'Notes', Key: { pk: { S: 'b' } } }));
    expect(after.Item).toBeUndefined();
  });

  it('SQS: it may send, and not receive', async () => {
    const client = opened(new SQSClient(settings(emulators.endpoints.sqs)));
    const QueueUrl = `${emulators.endpoints.sqs}/000000000000/jobs`;
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
    await expect(client.send(new ReceiveMessageCommand({ QueueUrl }))).rejects.toMatchObject({
      name: 'AccessDenied',
      $metadata: { httpStatusCode: 403 },
      ...denied('sqs:ReceiveMessage', `arn:aws:sqs:${HERE}:jobs`),
    });
  });

  it('S3: under a prefix, also by presigned addresses, which others use with its permissions', async () => {
    const client = opened(new S3Client(settings(emulators.endpoints.s3)));
    const at = (Key: string) => ({ Bucket: 'notes', Key });
    await client.send(new PutObjectCommand({ ...at('open/a b'), Body: 'text' }));
    await expect(client.send(new GetObjectCommand(at('closed/a')))).rejects.toMatchObject({
      name: 'AccessDenied',
      $metadata: { httpStatusCode: 403 },
      ...denied('s3:GetObject', 'arn:aws:s3:::notes/closed/a'),
    });
    const open = await fetch(await getSignedUrl(client, new GetObjectCommand(at('open/a b'))));
    expect([open.status, await open.text()]).toEqual([200, 'text']);
    const closed = await fetch(await getSignedUrl(client, new GetObjectCommand(at('closed/a'))));
    expect([closed.status, await closed.text()]).toEqual([403, expect.stringContaining('<Code>AccessDenied</Code>')]);
    const put = await fetch(await getSignedUrl(client, new PutObjectCommand(at('closed/b'))), {
      method: 'PUT',
      body: 'b',
    });
    expect(put.status).toBe(403);
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

  it('KMS: only with the encryption context of its condition', async () => {
    const client = opened(new KMSClient(settings(security.endpoint)));
    const operator = opened(new KMSClient(clientFor(security.endpoint)));
    const Plaintext = Buffer.from('text');
    const notes = { EncryptionContext: { purpose: 'notes' } };
    const sealed = await client.send(new EncryptCommand({ KeyId: 'Key', Plaintext, ...notes }));
    const back = await client.send(new DecryptCommand({ CiphertextBlob: sealed.CiphertextBlob, ...notes }));
    expect(Buffer.from(back.Plaintext ?? []).toString()).toBe('text');
    const encrypt = (KeyId: string, of: string) =>
      operator.send(new EncryptCommand({ KeyId, Plaintext, EncryptionContext: { purpose: of } }));
    const refusals = [await encrypt('Key', 'tokens'), await encrypt('Other', 'notes')];
    for (const [index, { CiphertextBlob }] of refusals.entries()) {
      const EncryptionContext = { purpose: index === 0 ? 'tokens' : 'notes' };
      const call = client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }));
      const key = `arn:aws:kms:${HERE}:key/${index === 0 ? 'Key' : 'Other'}`;
      await expect(call).rejects.toMatchObject({ name: 'AccessDeniedException', ...denied('kms:Decrypt', key) });
    }
  });

  it('Secrets Manager: its secret, and no other', async () => {
    const client = opened(new SecretsManagerClient(settings(security.endpoint)));
    const known = await client.send(new GetSecretValueCommand({ SecretId: 'known' }));
    expect(known.SecretString).toBe('a');
    const other = client.send(new GetSecretValueCommand({ SecretId: 'other' }));
    await expect(other).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });

  it('a key without its session token is refused', async () => {
    const { accessKeyId, secretAccessKey } = permissions.credentialsOf('Write');
    const client = opened(
      new SecretsManagerClient({
        ...settings(security.endpoint),
        credentials: { accessKeyId, secretAccessKey },
      }),
    );
    const call = client.send(new GetSecretValueCommand({ SecretId: 'known' }));
    await expect(call).rejects.toMatchObject({
      name: 'InvalidSignatureException',
      message: expect.stringContaining('the session token is not that of the key'),
    });
  });

  it('what was used and refused is known, of each emulator', () => {
    const actions = permissions.used().map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(['dynamodb:GetItem', 'sqs:SendMessage', 's3:PutObject', 'kms:Decrypt']),
    );
    expect(warnings.join('\n')).toMatch(/dynamodb:Query.*\n(?:.*\n)*.*sqs:ReceiveMessage/);
    expect(permissions.unused()).toEqual([]);
  });
});

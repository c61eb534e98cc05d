import { ApiGatewayManagementApiClient, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { KMSClient, ListAliasesCommand } from '@aws-sdk/client-kms';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../../aws-local/clients.ts';
import { kmsService } from '../../aws-local/emulators/kms.ts';
import { secretsService } from '../../aws-local/emulators/secrets.ts';
import { type SqsS3, startSqsS3 } from '../../aws-local/emulators/sqs-s3.ts';
import { startWireEndpoint, type WireEndpoint } from '../../aws-local/wire/endpoint.ts';

describe('SQS and S3', () => {
  let storage: SqsS3;
  let s3: S3Client;

  beforeAll(async () => {
    storage = await startSqsS3();
    s3 = new S3Client(clientFor(storage.endpoint));
    await s3.send(new CreateBucketCommand({ Bucket: 'tarballs' }));
  });
  afterAll(async () => {
    s3.destroy();
    await storage.close();
  });

  it('queue URLs have the host of the endpoint and find the queue', async () => {
    const client = new SQSClient(clientFor(storage.endpoint));
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: 'reachable' }));
    expect(QueueUrl).toBe(`${storage.endpoint}/000000000000/reachable`);
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'hello' }));
    const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
    expect(Messages?.[0]?.Body).toBe('hello');
  });

  it('an object of 40 MB is stored by one call', async () => {
    const object = { Bucket: 'tarballs', Key: 'one' };
    await s3.send(new PutObjectCommand({ ...object, Body: Buffer.alloc(40_000_000) }));
    const { ContentRange, Body } = await s3.send(new GetObjectCommand({ ...object, Range: 'bytes=0-9' }));
    expect(ContentRange).toBe('bytes 0-9/40000000');
    await Body?.transformToByteArray();
  });

  it.each([{ IfNoneMatch: '*' }, { CacheControl: 'no-store' }])('a write with %j is not emulated', async (header) => {
    const put = s3.send(new PutObjectCommand({ Bucket: 'tarballs', Key: 'other', Body: 'x', ...header }));
    await expect(put).rejects.toMatchObject({ name: 'NotImplemented' });
  });
});

describe('KMS, Secrets Manager, and what has no emulator', () => {
  let security: WireEndpoint;

  beforeAll(async () => {
    security = await startWireEndpoint([kmsService(), secretsService(new Map([['given', 'chosen']]))], () => {});
  });
  afterAll(() => security.close());

  it('a secret is returned by name and ARN, and an unknown one is not found', async () => {
    const client = new SecretsManagerClient(clientFor(security.endpoint));
    const { ARN, SecretString } = await client.send(new GetSecretValueCommand({ SecretId: 'given' }));
    const byArn = await client.send(new GetSecretValueCommand({ SecretId: ARN }));
    expect([SecretString, byArn.SecretString]).toEqual(['chosen', 'chosen']);
    const unknown = client.send(new GetSecretValueCommand({ SecretId: 'constructor' }));
    await expect(unknown).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

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

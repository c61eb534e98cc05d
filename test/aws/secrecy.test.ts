import { gunzipSync } from 'node:zlib';
import { DynamoDBClient, ListTablesCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListBucketsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { ListQueuesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe } from 'vitest';
import { clientFor } from '../aws-local/clients.ts';
import { secretsStayHidden } from '../support/service/secrecy.ts';
import { startStackForTest } from './service/started.ts';

describe('secrets of the stack', () =>
  secretsStayHidden({
    start: (config) => startStackForTest({ name: 'secrecy', config }),
    stored: async ({ service }) => {
      const { dynamodb, sqs, s3 } = service.runtime.endpoints;
      return [...(await items(dynamodb)), ...(await messages(sqs)), ...(await objects(s3))];
    },
  }));

async function items(endpoint: string): Promise<readonly string[]> {
  const client = new DynamoDBClient(clientFor(endpoint));
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  const pages = await Promise.all(TableNames.map((TableName) => client.send(new ScanCommand({ TableName }))));
  client.destroy();
  return pages.flatMap(({ Items = [] }) => Items.map((item) => JSON.stringify(item, bytesAsText)));
}

/** Payloads are stored gzipped; what else is binary is looked at byte by byte. */
function bytesAsText(_: string, value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  return (value[0] === 0x1f && value[1] === 0x8b ? gunzipSync(value) : Buffer.from(value)).toString('latin1');
}

async function messages(endpoint: string): Promise<readonly string[]> {
  const client = new SQSClient(clientFor(endpoint));
  const { QueueUrls = [] } = await client.send(new ListQueuesCommand({}));
  const received = await Promise.all(
    QueueUrls.map((QueueUrl) => client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }))),
  );
  client.destroy();
  return received.map((one) => JSON.stringify(one));
}

async function objects(endpoint: string): Promise<readonly string[]> {
  const client = new S3Client({ ...clientFor(endpoint), forcePathStyle: true });
  const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
  const texts: string[] = [];
  for (const { Name: Bucket } of Buckets) {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
    for (const { Key } of Contents) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      texts.push(`${Key} ${await Body?.transformToString('latin1')}`);
    }
  }
  client.destroy();
  return texts;
}

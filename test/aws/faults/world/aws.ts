import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { stages } from '../../../../functions/core/pipeline/pipeline.ts';
import { ACCOUNT, clientFor } from '../../../aws-local/clients.ts';
import { type DynamoDb, startDynamoDb } from '../../../aws-local/emulators/dynamodb.ts';
import { type SqsS3, startSqsS3 } from '../../../aws-local/emulators/sqs-s3.ts';
import { CONNECTIONS, createKeyedTable, createLogTables } from '../../../support/dynamodb-table.ts';

export const BUCKET = 'tarballs';

/** The queue of a stage or of commit statuses, with the settings of the stack. */
export interface QueueSettings {
  readonly name: string;
  readonly file: string;
  readonly visibilitySeconds: number;
  readonly maxReceives: number;
}

const VISIBILITY_MARGIN_SECONDS = 45;

/** The queues as the stack declares them: lib/stack/queues.ts. */
export const queues: readonly QueueSettings[] = [
  ...stages.map(({ name, timeoutSeconds, maxReceives }) => ({
    name,
    file: `${name}.fifo`,
    visibilitySeconds: timeoutSeconds + VISIBILITY_MARGIN_SECONDS,
    maxReceives,
  })),
  { name: 'report', file: 'report', visibilitySeconds: 30 + VISIBILITY_MARGIN_SECONDS, maxReceives: 12 },
];

/** The most that SQS allows: the broker decides by the virtual time when a message becomes visible again. */
export const HIDDEN_SECONDS = 43_200;

/** The emulators, which can be restarted. */
export interface Aws {
  readonly addresses: { readonly dynamodb: string; readonly sqs: string };
  /** Clients of the test itself, past the proxies. */
  readonly clients: { readonly dynamodb: DynamoDBClient; readonly sqs: SQSClient; readonly s3: S3Client };
  objects(): Promise<readonly string[]>;
  /** Restarts all of them: the log is kept, messages and objects are lost. */
  restart(): Promise<void>;
  /** Ends them for good and removes the log. */
  remove(): Promise<void>;
}

/** Starts the emulators with an empty log in a folder. */
export async function startAws(folder: string): Promise<Aws> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const running = new Running(join(folder, 'dynamodb.sqlite'));
  await running.start();
  await createLogTables(running.clients.dynamodb);
  await createKeyedTable(running.clients.dynamodb, CONNECTIONS);
  return running;
}

class Running implements Aws {
  readonly #file: string;
  #parts!: { readonly dynamodb: DynamoDb; readonly storage: SqsS3 };
  clients!: Aws['clients'];

  constructor(file: string) {
    this.#file = file;
  }

  get addresses() {
    const { dynamodb, storage } = this.#parts;
    return { dynamodb: dynamodb.endpoint, sqs: storage.endpoint };
  }

  async start(): Promise<void> {
    const [dynamodb, storage] = await Promise.all([startDynamoDb({ file: this.#file }), startSqsS3()]);
    this.#parts = { dynamodb, storage };
    const atStorage = clientFor(storage.endpoint);
    this.clients = {
      dynamodb: new DynamoDBClient(clientFor(dynamodb.endpoint)),
      sqs: new SQSClient(atStorage),
      s3: new S3Client(atStorage),
    };
    for (const queue of queues) await createQueue(this.clients.sqs, queue);
    await this.clients.s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
  }

  async objects(): Promise<readonly string[]> {
    const { Contents = [] } = await this.clients.s3.send(new ListObjectsV2Command({ Bucket: BUCKET }));
    return Contents.map(({ Key = '' }) => Key);
  }

  async restart(): Promise<void> {
    await this.close();
    await this.start();
  }

  async close(): Promise<void> {
    for (const client of Object.values(this.clients)) client.destroy();
    await Promise.all([this.#parts.dynamodb.close(), this.#parts.storage.close()]);
  }

  /** Ends them for good and removes the log. */
  async remove(): Promise<void> {
    await this.close();
    rmSync(dirname(this.#file), { recursive: true, force: true, maxRetries: 5 });
  }
}

async function createQueue(client: SQSClient, { name, file, maxReceives }: QueueSettings): Promise<void> {
  const fifo = file.endsWith('.fifo');
  const dead = `${name}-dead${fifo ? '.fifo' : ''}`;
  const kind = fifo ? { FifoQueue: 'true' } : {};
  await client.send(new CreateQueueCommand({ QueueName: dead, Attributes: kind }));
  const deadLetterTargetArn = `arn:aws:sqs:us-east-1:${ACCOUNT}:${dead}`;
  const Attributes = {
    ...kind,
    ...(fifo && { FifoThroughputLimit: 'perMessageGroupId', DeduplicationScope: 'messageGroup' }),
    VisibilityTimeout: String(HIDDEN_SECONDS),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: maxReceives }),
  };
  await client.send(new CreateQueueCommand({ QueueName: file, Attributes }));
}

/** Returns the address of a queue at an endpoint. */
export function queueUrl(endpoint: string, file: string): string {
  return `${endpoint}/${ACCOUNT}/${file}`;
}

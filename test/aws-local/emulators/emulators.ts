import type { Guard } from '../permissions/guard.ts';
import { type DynamoDb, startDynamoDb } from './dynamodb.ts';
import { startSqsS3 } from './sqs-s3.ts';

/** The services of this machine that keep data, while they run. */
export interface Emulators extends Pick<DynamoDb, 'writes' | 'send'> {
  readonly endpoints: Endpoints;
  close(): Promise<void>;
}

/** Their addresses, each as `http://127.0.0.1:<port>`. */
export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly s3: string;
}

/** Options of the emulators. */
export interface EmulatorOptions {
  /** Decides what callers may do; by default, only the operator may do anything. */
  readonly guard?: Guard;
}

/** Starts DynamoDB with its streams, SQS and S3, all in memory and on 127.0.0.1, for signed requests. */
export async function startEmulators({ guard }: EmulatorOptions = {}): Promise<Emulators> {
  const storage = await startSqsS3(guard);
  const database = await startDynamoDb({ ...(guard && { guard }) }).catch(async (error: unknown) => {
    await storage.close();
    throw error;
  });
  return {
    endpoints: { dynamodb: database.endpoint, sqs: storage.endpoint, s3: storage.endpoint },
    writes: database.writes,
    send: database.send,
    close: async () => void (await Promise.all([database.close(), storage.close()])),
  };
}

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { OperatorError } from '../../../lib/files/errors.ts';
import type { Finding } from '../permissions/guard.mjs';
import { OPERATOR } from '../permissions/operator.ts';
import type { Permissions } from '../permissions/permissions.ts';

/** Queues and buckets, both at one address. */
export interface SqsS3 {
  readonly endpoint: string;
  /** Resolves when it stops unexpectedly; never while it runs or after `close`. */
  readonly failed: Promise<OperatorError>;
  close(): Promise<void>;
}

/** Options of the emulators of SQS and S3. */
export interface SqsS3Options {
  readonly permissions?: Pick<Permissions, 'principals' | 'report'> | undefined;
}

/**
 * Starts the SQS and S3 emulator, which has everything in memory, in a worker thread, on a free port of 127.0.0.1 (an address, not a name: with it S3
 * clients put the bucket in the path). Requests must be signed, by default by the operator.
 *
 * @throws OperatorError when it cannot start.
 */
export async function startSqsS3({ permissions }: SqsS3Options = {}): Promise<SqsS3> {
  // No inherited loader arguments: the entry is plain JavaScript and starts faster without them.
  const worker = new Worker(new URL('sqs-s3-worker.mjs', import.meta.url), {
    execArgv: [],
    workerData: { principals: permissions?.principals ?? [OPERATOR] },
  });
  const port = await started(worker);
  worker.on('message', ({ finding }: { finding?: Finding }) => finding && permissions?.report(finding));
  let closing = false;
  const exited = once(worker, 'exit');
  const failed = new Promise<OperatorError>((resolve) => {
    worker.once('error', (cause) => resolve(stopped(cause)));
    exited.then(
      () => closing || resolve(stopped()),
      () => {},
    );
  });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    failed,
    close: async () => {
      closing = true;
      worker.postMessage({ close: true });
      await exited;
    },
  };
}

/** The worker's message when it listens, or cannot. */
interface Started {
  readonly port?: number;
  readonly error?: string;
}

async function started(worker: Worker): Promise<number> {
  try {
    const [message]: Started[] = await once(worker, 'message');
    if (message?.port) return message.port;
    throw new Error(message?.error ?? 'no port');
  } catch (cause) {
    await worker.terminate();
    throw new OperatorError('The SQS and S3 emulator could not start: run npm ci and try again.', { cause });
  }
}

function stopped(cause?: unknown): OperatorError {
  return new OperatorError('The SQS and S3 emulator stopped by itself: start again.', { cause });
}

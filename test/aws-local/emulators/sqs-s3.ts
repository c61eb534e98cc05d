import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { OperatorError } from '../../../lib/processes/operator-error.ts';
import type { Finding } from '../permissions/guard.mjs';
import { OPERATOR } from '../permissions/operator.ts';
import type { Permissions } from '../permissions/permissions.ts';

/** Queues and buckets, both at one address. */
export interface SqsS3 {
  readonly endpoint: string;
  /**
   * Time of the last change of a message that was kept, in milliseconds; null when messages of an earlier start are
   * lost, or there was none.
   */
  readonly messagesKeptUntil: number | null;
  /** Path of the copy of a journal of messages that could not be read, or not all of it. */
  readonly unreadJournal: string | undefined;
  /**
   * Makes the messages of queues visible that were in flight when the last process ended: their receivers ended with
   * it. Those whose visibility timeout the receiver has changed are visible when it wanted.
   */
  giveBack(queues: readonly string[]): void;
  /** Resolves when it stops unexpectedly; never while it runs or after `close`. */
  readonly failed: Promise<OperatorError>;
  close(): Promise<void>;
}

/** Options of the emulators of SQS and S3. */
export interface SqsS3Options {
  /** Folder of the objects; in memory by default. */
  readonly objects?: string;
  /** File of the messages; in memory by default. */
  readonly journal?: string;
  readonly permissions?: Pick<Permissions, 'principals' | 'report'> | undefined;
}

/**
 * Starts the SQS and S3 emulator in a worker thread, on a free port of 127.0.0.1 (an address, not a name: with it S3
 * clients put the bucket in the path). Requests must be signed, by default by the person who started this.
 *
 * @throws OperatorError when it cannot start.
 */
export async function startSqsS3({ objects, journal, permissions }: SqsS3Options = {}): Promise<SqsS3> {
  // No inherited loader arguments: the entry is plain JavaScript and starts faster without them.
  const worker = new Worker(new URL('sqs-s3-worker.mjs', import.meta.url), {
    execArgv: [],
    workerData: { principals: permissions?.principals ?? [OPERATOR], objects, journal },
  });
  const { port, keptUntil = null, unread } = await started(worker, journal);
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
    messagesKeptUntil: keptUntil,
    unreadJournal: unread,
    giveBack: (queues) => worker.postMessage({ giveBack: queues }),
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
  readonly keptUntil?: number | null;
  readonly unread?: string;
  readonly error?: string;
}

async function started(worker: Worker, journal: string | undefined): Promise<Started> {
  try {
    const [message]: Started[] = await once(worker, 'message');
    if (message?.port) return message;
    throw new Error(message?.error ?? 'no port');
  } catch (cause) {
    await worker.terminate();
    if (journal !== undefined && isAbout(journal, cause)) {
      const sentence = `The messages of the queues cannot be kept in ${journal} (${cause.code}): check the file and its folder, and start again.`;
      throw new OperatorError(sentence, { cause });
    }
    throw new OperatorError('The SQS and S3 emulator could not start: run npm ci and try again.', { cause });
  }
}

function isAbout(file: string, cause: unknown): cause is NodeJS.ErrnoException {
  return cause instanceof Error && 'path' in cause && `${cause.path}`.startsWith(file);
}

function stopped(cause?: unknown): OperatorError {
  return new OperatorError('The SQS and S3 emulator stopped by itself: start again.', { cause });
}

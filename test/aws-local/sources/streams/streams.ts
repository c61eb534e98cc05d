import { once, setMaxListeners } from 'node:events';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { OperatorError } from '../../../../lib/files/errors.ts';
import { clientFor } from '../../clients.ts';
import type { Endpoints } from '../../emulators/emulators.ts';
import type { Closable, Invoker, Warn } from '../../invoke/invoker.ts';
import type { Template } from '../../template/template.ts';
import { type Mapping, mappingsOf } from '../event-source-mapping.ts';
import { streamsApi } from './api.ts';
import { readStream } from './shards.ts';

/** Options of running the table streams of a template. */
export interface StreamOptions {
  readonly template: Template;
  readonly endpoints: Pick<Endpoints, 'dynamodb' | 'sqs'>;
  readonly functions: Invoker;
  readonly warn: Warn;
}

/** Table streams while they run. */
export interface Streams extends Closable {
  /** Call after a possible write: idle streams are read immediately, not after their pause of up to 100 ms. */
  wake(): void;
}

/**
 * Invokes the functions of the template's table streams, as Lambda's event source mappings do: records
 * of one key in order and at least once, filters, partitions (`ParallelizationFactor`), bisection, partial failures,
 * retries, and a message to the failure queue about discarded records.
 *
 * @throws OperatorError when a table has no stream
 */
export async function startStreams(options: StreamOptions): Promise<Streams> {
  const stop = new AbortController();
  // Every loop and running request listens to this signal; Node warns of a leak from eleven listeners on.
  setMaxListeners(0, stop.signal);
  const stopped = once(stop.signal, 'abort').then(() => {});
  const backoff = new PollBackoff(stop.signal);
  const database = new DynamoDBClient(clientFor(options.endpoints.dynamodb));
  const api = streamsApi(options.endpoints.dynamodb, stop.signal);
  const queues = new SQSClient(clientFor(options.endpoints.sqs));
  const positions = new Map<string, string>();
  const found = await Promise.all(
    mappingsOf(options.template, 'dynamodb').map(async (mapping) => ({
      mapping,
      streamArn: await streamOf(database, mapping),
    })),
  );
  const loops = found.map((source) =>
    readStream({ ...options, ...source, api, queues, positions, backoff, signal: stop.signal, stopped }),
  );
  return {
    wake: () => backoff.wake(),
    close: async () => {
      stop.abort();
      await Promise.all(loops);
      api.close();
      for (const client of [database, queues]) client.destroy();
    },
  };
}

/** Returns the emulator's ARN of the stream: its region and label differ from the template's attribute. */
async function streamOf(database: DynamoDBClient, mapping: Mapping): Promise<string> {
  const { Table } = await database.send(new DescribeTableCommand({ TableName: mapping.source }));
  if (Table?.LatestStreamArn) return Table.LatestStreamArn;
  throw new OperatorError(`${mapping.id} reads the stream of the table ${mapping.source}, which has none.`);
}

const MIN_PAUSE_MS = 20;
const MAX_PAUSE_MS = 100;
/** Pauses stay short for this time after a record or a wake. */
const ACTIVE_MS = 200;

/**
 * Decides how long readers of streams pause between two empty reads: briefly while records arrive, so that a burst
 * is read quickly, then longer, so that an idle service uses almost no processor time.
 */
export class PollBackoff {
  readonly #waiting = new Set<() => void>();
  readonly #signal: AbortSignal;
  #activeUntil = 0;
  #version = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#endPauses(), { once: true });
  }

  /** Returns a version to take before a read and pass to `wait` after it, so that no write in between is missed. */
  version(): number {
    return this.#version;
  }

  /** Ends all pauses and shortens those that follow: a write may become readable a moment later. */
  wake(): void {
    this.#version += 1;
    this.#activeUntil = Date.now() + ACTIVE_MS;
    this.#endPauses();
  }

  /** Resolves after a pause, at the next `wake` or when closed; immediately when `wake` was called since `version`. */
  async wait(version: number): Promise<void> {
    if (version !== this.#version || this.#signal.aborted) return;
    const pauseMs = Date.now() < this.#activeUntil ? MIN_PAUSE_MS : MAX_PAUSE_MS;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, pauseMs);
      this.#waiting.add(done);
    });
  }

  #endPauses(): void {
    for (const done of [...this.#waiting]) done();
  }
}

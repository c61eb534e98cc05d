import { once, setMaxListeners } from 'node:events';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { OperatorError } from '../../../processes/operator-error.ts';
import { clientFor } from '../../clients.ts';
import type { Endpoints } from '../../emulators/emulators.ts';
import type { Closable, Invoker, Warn } from '../../invoke/invoker.ts';
import type { Template } from '../../template/template.ts';
import type { DatabaseWrites } from '../../tuning/write-watch.ts';
import { type Mapping, mappingsOf } from '../event-source-mapping.ts';
import { streamsApi } from './api.ts';
import { PollBackoff } from './poll-backoff.ts';
import { openPositions } from './positions.ts';
import { readStream } from './shards.ts';

/** What the table streams of a template need to run. */
export interface StreamOptions {
  readonly template: Template;
  readonly endpoints: Pick<Endpoints, 'dynamodb' | 'sqs'>;
  readonly functions: Invoker;
  readonly warn: Warn;
  /** Notifies of writes to the tables; without it streams are polled every 100 ms at least. */
  readonly writes?: Pick<DatabaseWrites, 'next'> | null;
  /** File in which positions are kept; without it every start begins where the template's StartingPosition says. */
  readonly positionsFile?: string;
}

/** Table streams while they run. */
export interface Streams extends Closable {
  /** Says that something may have been written: streams at rest look at once, not after their pause of up to 100 ms. */
  wake(): void;
}

/**
 * Invokes the functions that the template puts behind its table streams, as Lambda's event source mappings do: records
 * of one key in order and at least once, filters, partitions (`ParallelizationFactor`), bisection, partial failures,
 * retries, and a message to the failure queue about what was given up.
 *
 * Positions are written at most once a second, so after a kill the records of the last second are delivered again. Records
 * written while nothing ran are delivered at the next start.
 *
 * @throws OperatorError when a table has no stream
 */
export async function startStreams(options: StreamOptions): Promise<Streams> {
  const stop = new AbortController();
  // Every loop and every request under way listens to it: more than the ten that Node takes for a leak.
  setMaxListeners(0, stop.signal);
  const stopped = once(stop.signal, 'abort').then(() => {});
  const backoff = new PollBackoff(stop.signal, options.writes);
  const database = new DynamoDBClient(clientFor(options.endpoints.dynamodb));
  const api = streamsApi(options.endpoints.dynamodb, stop.signal);
  const queues = new SQSClient(clientFor(options.endpoints.sqs));
  const positions = openPositions(options.positionsFile);
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
      positions.close();
      api.close();
      for (const client of [database, queues]) client.destroy();
    },
  };
}

/** The emulator's own ARN: its region and label differ from what the template's attribute gives. */
async function streamOf(database: DynamoDBClient, mapping: Mapping): Promise<string> {
  const { Table } = await database.send(new DescribeTableCommand({ TableName: mapping.source }));
  if (Table?.LatestStreamArn) return Table.LatestStreamArn;
  throw new OperatorError(`${mapping.id} reads the stream of the table ${mapping.source}, which has none.`);
}

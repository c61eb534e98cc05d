import { once, setMaxListeners } from 'node:events';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import { OperatorError } from '../../../../lib/files/errors.ts';
import { clientFor } from '../../clients.ts';
import type { Emulators, Endpoints } from '../../emulators/emulators.ts';
import type { Closable, Invoker, Warn } from '../../invoke/invoker.ts';
import type { Template } from '../../template/template.ts';
import { type Mapping, mappingsOf } from '../event-source-mapping.ts';
import { streamsApi } from './api.ts';
import { readShard } from './shards.ts';

/** Options of running the table streams of a template. */
export interface StreamOptions extends Pick<Emulators, 'writes' | 'send'> {
  readonly template: Template;
  readonly endpoints: Pick<Endpoints, 'sqs'>;
  readonly functions: Invoker;
  readonly warn: Warn;
}

/**
 * Invokes the functions of the template's table streams, as Lambda's event source mappings do: records
 * of one key in order and at least once, filters, partitions (`ParallelizationFactor`), bisection, partial failures,
 * retries, and a message to the failure queue about discarded records.
 *
 * @throws OperatorError when a table has no stream
 */
export async function startStreams(options: StreamOptions): Promise<Closable> {
  const stop = new AbortController();
  // Every loop and running request listens to this signal; Node warns of a leak from eleven listeners on.
  setMaxListeners(0, stop.signal);
  const stopped = once(stop.signal, 'abort').then(() => {});
  const api = streamsApi(options);
  const queues = new SQSClient(clientFor(options.endpoints.sqs));
  const starting = mappingsOf(options.template, 'dynamodb').map(async (mapping) => {
    const streamArn = await streamOf(mapping, options);
    const shards = await api.shards(streamArn);
    const reader = { ...options, mapping, streamArn, api, queues, signal: stop.signal, stopped };
    return shards.map(({ ShardId: shardId }) => readShard({ ...reader, shardId }));
  });
  const readers = (await Promise.all(starting)).flat();
  return {
    close: async () => {
      stop.abort();
      await Promise.all(readers);
      queues.destroy();
    },
  };
}

const Described = v.object({ Table: v.object({ LatestStreamArn: v.optional(v.string()) }) });

/** Returns the emulator's ARN of the stream: its region and label differ from the template's attribute. */
async function streamOf(mapping: Mapping, { send }: Pick<Emulators, 'send'>): Promise<string> {
  const { Table } = v.parse(Described, await send('DescribeTable', { TableName: mapping.source }));
  if (Table.LatestStreamArn !== undefined) return Table.LatestStreamArn;
  throw new OperatorError(`${mapping.id} reads the stream of the table ${mapping.source}, which has none.`);
}

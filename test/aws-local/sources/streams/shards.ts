import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Emulators } from '../../emulators/emulators.ts';
import type { Invoker, Warn } from '../../invoke/invoker.ts';
import { groupBy, type Mapping } from '../event-source-mapping.ts';
import type { StreamsApi } from './api.ts';
import { deliver, fromStream, type StreamRecord } from './deliver.ts';

/** One mapping and the shard that it reads. */
export interface ShardReader extends Pick<Emulators, 'writes'> {
  readonly mapping: Mapping;
  readonly streamArn: string;
  readonly shardId: string;
  readonly api: StreamsApi;
  readonly queues: SQSClient;
  readonly endpoints: { readonly sqs: string };
  readonly functions: Invoker;
  readonly signal: AbortSignal;
  /** Resolves when the signal fires; shared, because listeners on a signal are never removed. */
  readonly stopped: Promise<void>;
  readonly warn: Warn;
}

const RETRY_AFTER_MS = 1000;
/** Between two reads of which the first found nothing. Lambda waits for 250 ms. */
const POLL_MS = 100;
/** After as many pauses without a write it is read all the same: items that expire are records too. */
const MOST_PAUSES = 20;
const RECORDS_PER_READ = 100;

/**
 * Reads a shard until closed, and delivers the records that pass the mapping's filters. The emulator has one shard for
 * each stream, which never ends.
 */
export async function readShard(reader: ShardReader): Promise<void> {
  const { mapping, streamArn, shardId, api, writes, signal, warn } = reader;
  const passes = (record: StreamRecord) =>
    mapping.filters.length === 0 || mapping.filters.some((filter) => filter(record));
  let iterator: string | null = null;
  let after: string | undefined;
  while (!signal.aborted) {
    try {
      iterator ??= await api.iterator(streamArn, shardId, after === undefined ? mapping.startsAt : { after });
      const before = writes();
      const { records, next } = await api.records(iterator, RECORDS_PER_READ);
      iterator = next;
      after = records.at(-1)?.dynamodb.SequenceNumber ?? after;
      const passing = records.map((record) => fromStream(record, mapping.sourceArn)).filter(passes);
      const delivered = deliverInParallel(passing, mapping, (batch) => deliver(batch, reader));
      await Promise.race([delivered, reader.stopped]);
      if (records.length > 0) continue;
      for (let pauses = 0; pauses < MOST_PAUSES && (pauses === 0 || writes() === before); pauses += 1) {
        await sleep(POLL_MS, undefined, { signal });
      }
    } catch (error) {
      if (signal.aborted) return;
      warn(`A table stream could not be read: ${error instanceof Error ? error.message : error}`);
      iterator = null;
      await sleep(RETRY_AFTER_MS, undefined, { signal }).catch(() => {});
    }
  }
}

/** Lambda accepts 6 MB of JSON, and an item may be twice as long in JSON as in the table. */
const BATCH_BYTES = 3 * 1024 * 1024;

/**
 * Delivers records in batches: those of a partition one after the other, partitions in parallel. Records of one item
 * are in one partition, so they keep their order.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
 */
async function deliverInParallel(
  records: readonly StreamRecord[],
  mapping: Pick<Mapping, 'parallelizationFactor' | 'batchSize'>,
  deliver: (batch: readonly StreamRecord[]) => Promise<void>,
): Promise<void> {
  const partitions = groupBy(records, (record) => partitionOf(record, mapping.parallelizationFactor));
  await Promise.all(
    [...partitions.values()].map(async (partition) => {
      for (const batch of batches(partition, mapping.batchSize)) await deliver(batch);
    }),
  );
}

function* batches(records: readonly StreamRecord[], most: number): Generator<readonly StreamRecord[]> {
  let batch: StreamRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = record.dynamodb.SizeBytes ?? 0;
    if (batch.length === most || (batch.length > 0 && bytes + size > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(record);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

function partitionOf(record: StreamRecord, partitions: number): number {
  if (partitions === 1) return 0;
  const keys = Object.entries(record.dynamodb.Keys).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha1').update(JSON.stringify(keys)).digest().readUInt32BE(0) % partitions;
}

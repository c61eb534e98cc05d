import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Invoker, Warn } from '../../invoke/invoker.ts';
import { groupBy, type Mapping } from '../event-source-mapping.ts';
import type { Shard, StreamsApi } from './api.ts';
import { deliver, fromStream, type StreamRecord } from './deliver.ts';
import type { PollBackoff } from './streams.ts';

const RETRY_AFTER_MS = 1000;
const RECORDS_PER_READ = 50;
const RECORDS_PER_DELIVERY = 100;

/**
 * Reads the shards of a stream in parallel until closed. When a shard has ended, its children are
 * read from their beginning, which keeps the order of records with the same key.
 */
export async function readStream(reader: StreamReader): Promise<void> {
  const known = new Set<string>();
  const follow = async (from: Mapping['startsAt']): Promise<void> => {
    const shards = (await retryUntilClosed(reader, () => reader.api.shards(reader.streamArn))) ?? [];
    const fresh = shards.filter((shard) => !known.has(shard.ShardId));
    const ready = from === 'LATEST' ? newest(fresh) : oldest(fresh);
    for (const shard of from === 'LATEST' ? fresh : ready) known.add(shard.ShardId);
    await Promise.all(
      ready.map(async (shard) => {
        await readShard(reader, shard.ShardId, from);
        if (!reader.signal.aborted) await follow('TRIM_HORIZON');
      }),
    );
  };
  await follow(reader.mapping.startsAt);
}

/** Returns the shards whose parents are not in the list. */
function oldest(shards: readonly Shard[]): Shard[] {
  return shards.filter((shard) => !shards.some((parent) => parent.ShardId === shard.ParentShardId));
}

/** Returns the shards without children in the list. */
function newest(shards: readonly Shard[]): Shard[] {
  return shards.filter((shard) => !shards.some((child) => child.ParentShardId === shard.ShardId));
}

async function readShard(reader: StreamReader, shardId: string, from: Mapping['startsAt']): Promise<void> {
  const { mapping, backoff, signal } = reader;
  let iterator: string | null | undefined = await retryUntilClosed(reader, () => firstIterator(reader, shardId, from));
  while (iterator && !signal.aborted) {
    const version = backoff.version();
    const read = await readRecords(reader, iterator);
    if (read === undefined) {
      // The iterator may have expired: a new one starts after the last handled record.
      iterator = await retryUntilClosed(reader, () => firstIterator(reader, shardId, 'TRIM_HORIZON'));
      continue;
    }
    iterator = read.next;
    if (read.last === undefined) {
      await backoff.wait(version);
      continue;
    }
    backoff.wake();
    const delivered = deliverInParallel(read.passing, mapping, (batch) => deliver(batch, { ...reader, shardId }));
    await Promise.race([delivered, reader.stopped]);
    if (!signal.aborted) reader.positions.set(positionOf(reader, shardId), read.last);
  }
}

/**
 * Returns the next records that pass the mapping's filters, and undefined when they could not be read. Each read is
 * small, because it blocks the emulator and this thread, and requests wait for both.
 */
async function readRecords(reader: StreamReader, iterator: string) {
  const passing: StreamRecord[] = [];
  let next: string | null = iterator;
  let last: string | undefined;
  let more = true;
  while (next && more && passing.length < RECORDS_PER_DELIVERY && !reader.signal.aborted) {
    const read = await getRecords(reader, next);
    if (read === undefined) return undefined;
    const records = read.records.map((record) => fromStream(record, reader.mapping.sourceArn));
    passing.push(...records.filter((record) => passes(reader.mapping, record)));
    last = records.at(-1)?.dynamodb.SequenceNumber ?? last;
    next = read.next;
    more = records.length === RECORDS_PER_READ;
  }
  return { passing, last, next };
}

function passes({ filters }: Mapping, record: unknown): boolean {
  return filters.length === 0 || filters.some((filter) => filter(record));
}

async function getRecords({ api, signal, warn }: StreamReader, iterator: string) {
  try {
    return await api.records(iterator, RECORDS_PER_READ);
  } catch (error) {
    if (!signal.aborted) warn(`A table stream could not be read: ${error instanceof Error ? error.message : error}`);
    await sleep(RETRY_AFTER_MS, undefined, { signal }).catch(() => {});
    return undefined;
  }
}

async function firstIterator(reader: StreamReader, shardId: string, from: Mapping['startsAt']): Promise<string> {
  const { api, streamArn } = reader;
  const after = reader.positions.get(positionOf(reader, shardId));
  if (after === undefined) return api.iterator(streamArn, shardId, from);
  // The position may be older than the oldest record; then reading starts with that record.
  return api.iterator(streamArn, shardId, { after }).catch(() => api.iterator(streamArn, shardId, 'TRIM_HORIZON'));
}

function positionOf({ mapping, streamArn }: StreamReader, shardId: string): string {
  return `${mapping.id} ${streamArn} ${shardId}`;
}

/** Repeats the work until it succeeds. Returns undefined when the reader is closed. */
async function retryUntilClosed<T>({ signal, warn }: StreamReader, work: () => Promise<T>): Promise<T | undefined> {
  while (!signal.aborted) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) break;
      warn(`A table stream could not be read: ${error instanceof Error ? error.message : error}`);
      await sleep(RETRY_AFTER_MS, undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
}

/** Lambda accepts 6 MB of JSON, and an item may be twice as long in JSON as in the table. */
const BATCH_BYTES = 3 * 1024 * 1024;

/**
 * Delivers records in batches: those of a partition one after the other, partitions in parallel. Records of one item
 * are in one partition, so they keep their order.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
 */
export async function deliverInParallel(
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

/** One mapping and the stream that it reads. */
export interface StreamReader {
  readonly mapping: Mapping;
  readonly streamArn: string;
  readonly api: StreamsApi;
  readonly queues: SQSClient;
  readonly endpoints: { readonly sqs: string };
  readonly functions: Invoker;
  /** The position of each shard's reader: the sequence number of the last record that was handled. */
  readonly positions: Map<string, string>;
  readonly backoff: PollBackoff;
  readonly signal: AbortSignal;
  /** Resolves when the signal fires; shared, because listeners on a signal are never removed. */
  readonly stopped: Promise<void>;
  readonly warn: Warn;
}

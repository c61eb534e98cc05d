import { createHash } from 'node:crypto';
import type { Mapping } from '../event-source-mapping.ts';
import { groupBy } from '../group-by.ts';
import type { StreamRecord } from './record.ts';

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

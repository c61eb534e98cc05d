import { createHash } from 'node:crypto';
import type { Mapping } from '../event-source-mapping.ts';
import { groupBy } from '../queues/group-by.ts';
import type { StreamRecord } from './record.ts';

/** Bytes of the items in a batch: what Lambda takes is 6 MB of JSON, and as JSON an item may be twice as long. */
const BATCH_BYTES = 3 * 1024 * 1024;

/**
 * Hands records on in batches: each lane one batch after the other, lanes beside each other. Records of one item are
 * in one lane, so they keep their order.
 */
export async function inLanes(
  records: readonly StreamRecord[],
  mapping: Pick<Mapping, 'lanes' | 'batchSize'>,
  deliver: (batch: readonly StreamRecord[]) => Promise<void>,
): Promise<void> {
  const lanes = groupBy(records, (record) => laneOf(record, mapping.lanes));
  await Promise.all(
    [...lanes.values()].map(async (lane) => {
      for (const batch of batches(lane, mapping.batchSize)) await deliver(batch);
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

function laneOf(record: StreamRecord, lanes: number): number {
  if (lanes === 1) return 0;
  const keys = Object.entries(record.dynamodb.Keys).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha1').update(JSON.stringify(keys)).digest().readUInt32BE(0) % lanes;
}

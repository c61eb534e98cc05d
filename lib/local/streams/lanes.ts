import { createHash } from 'node:crypto';
import type { Mapping } from '../event-source-mapping.ts';
import { groupBy } from '../group-by.ts';
import type { StreamRecord } from './record.ts';

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
      for (let start = 0; start < lane.length; start += mapping.batchSize) {
        await deliver(lane.slice(start, start + mapping.batchSize));
      }
    }),
  );
}

function laneOf(record: StreamRecord, lanes: number): number {
  if (lanes === 1) return 0;
  const keys = Object.entries(record.dynamodb.Keys).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha1').update(JSON.stringify(keys)).digest().readUInt32BE(0) % lanes;
}

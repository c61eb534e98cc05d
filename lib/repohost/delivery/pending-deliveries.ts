import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { readStateSync, writeStateSync } from '../../processes/state-file.ts';

const MovedRef = v.object({
  owner: v.string(),
  name: v.string(),
  ref: v.string(),
  before: v.string(),
  after: v.string(),
  pusher: v.string(),
});
const DeliverySchema = v.object({ ...MovedRef.entries, id: v.string(), at: v.number() });

/** A ref that a push moved; an id of all zeros means that it did not exist before, or was deleted. */
export type RefMove = v.InferOutput<typeof MovedRef>;

/**
 * A webhook delivery that has no final answer yet, with its id and time in milliseconds. The payload is built when it
 * is sent, because it contains the host's address, which may have changed by then.
 */
export type PendingDelivery = v.InferOutput<typeof DeliverySchema>;

/** The deliveries without a final answer, on disk. */
export interface PendingDeliveries {
  /** Stores a delivery before it is sent. The oldest is removed when there are more than 1000. */
  add(move: RefMove): PendingDelivery;
  /** Returns the pending deliveries, oldest first. Files that cannot be read are left out. */
  list(): readonly PendingDelivery[];
  /** Removes a delivery; a second call does nothing. */
  remove(delivery: PendingDelivery): void;
}

const MAX_PENDING = 1000;

/** Returns the pending deliveries stored in a folder, which is created when needed. */
export function pendingDeliveriesIn(folder: string, now: () => number = Date.now): PendingDeliveries {
  let count = 0;
  const fileOf = ({ at, id }: PendingDelivery) => join(folder, `${String(at).padStart(15, '0')}-${id}.json`);
  const files = () =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .sort();
  return {
    add(move) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (const file of files().slice(0, -(MAX_PENDING - 1))) rmSync(join(folder, file), { force: true });
      // Refs of one push may share a millisecond; the counter at the start of the id keeps their order.
      count += 1;
      const id = `${count.toString(16).padStart(8, '0')}${randomUUID().slice(8)}`;
      const delivery = { ...move, id, at: now() };
      writeStateSync(fileOf(delivery), delivery, { secret: true, durable: true });
      return delivery;
    },
    list() {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return files().flatMap((file) => read(join(folder, file)));
    },
    remove: (delivery) => rmSync(fileOf(delivery), { force: true }),
  };
}

function read(file: string): PendingDelivery[] {
  try {
    const delivery = readStateSync(file, DeliverySchema);
    return delivery ? [delivery] : [];
  } catch {
    return [];
  }
}

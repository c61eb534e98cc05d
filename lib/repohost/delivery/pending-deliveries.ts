import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { readStateSync, writeStateSync } from '../../files/state-file.ts';

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

/** The deliveries without a final answer, on disk: at most one of each ref. */
export interface PendingDeliveries {
  /**
   * Stores a delivery before it is sent, in place of an earlier one of the ref. The oldest of the repository is removed
   * when there are more than ten.
   */
  add(move: RefMove): PendingDelivery;
  /** Returns the pending deliveries, oldest first. Files that cannot be read are left out. */
  list(): readonly PendingDelivery[];
  /** Removes a delivery; a second call does nothing. */
  remove(delivery: PendingDelivery): void;
}

/** Counted for each repository: whoever pushes much must not remove what others have pushed. */
const MAX_OF_REPOSITORY = 10;

/** Returns a delivery of a moved ref, with an id. */
export function newDelivery(move: RefMove, at = Date.now()): PendingDelivery {
  return { ...move, id: randomUUID(), at };
}

/** Returns the pending deliveries stored in a folder, which is created when needed. */
export function pendingDeliveriesIn(folder: string): PendingDeliveries {
  const fileOf = ({ at, id }: PendingDelivery) => join(folder, `${String(at).padStart(15, '0')}-${id}.json`);
  const remove = (delivery: PendingDelivery) => rmSync(fileOf(delivery), { force: true });
  const list = () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
    return newestOfEach(
      files.sort().flatMap((file) => read(join(folder, file))),
      remove,
    );
  };
  return {
    add(move) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const delivery = newDelivery(move, Date.now());
      writeStateSync(fileOf(delivery), delivery, { secret: true, durable: true });
      const ofRepository = list().filter(({ owner, name }) => owner === move.owner && name === move.name);
      for (const old of ofRepository.slice(0, -MAX_OF_REPOSITORY)) remove(old);
      return delivery;
    },
    list,
    remove,
  };
}

/** Returns the newest delivery of each ref, and removes those that it supersedes. */
function newestOfEach(
  oldestFirst: readonly PendingDelivery[],
  remove: (superseded: PendingDelivery) => void,
): readonly PendingDelivery[] {
  const newest = new Map<string, PendingDelivery>();
  for (const delivery of oldestFirst) {
    const key = `${delivery.owner}/${delivery.name} ${delivery.ref}`;
    const earlier = newest.get(key);
    if (earlier) remove(earlier);
    // A Map keeps the place of a key.
    newest.delete(key);
    newest.set(key, delivery);
  }
  return [...newest.values()];
}

function read(file: string): PendingDelivery[] {
  try {
    const delivery = readStateSync(file, DeliverySchema);
    return delivery ? [delivery] : [];
  } catch {
    return [];
  }
}

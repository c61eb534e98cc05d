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

/** A ref that a push moved; all zeros stand for "was not there" and "is gone". */
export type RefMove = v.InferOutput<typeof MovedRef>;

/**
 * A webhook delivery that is owed: what happened, with its id and time (milliseconds). The payload is made when it is
 * sent, because the host's own address, which is part of it, may have changed by then.
 */
export type OwedDelivery = v.InferOutput<typeof DeliverySchema>;

/** Deliveries that have not been answered yet, on disk. */
export interface Journal {
  /** Writes down what is owed, before anything is sent. The oldest goes when there are more than 1000. */
  add(move: RefMove): OwedDelivery;
  /** What is owed, oldest first. Files that cannot be read are left out. */
  list(): readonly OwedDelivery[];
  /** Done with; a second call is fine. */
  remove(delivery: OwedDelivery): void;
}

const maxOwed = 1000;

/** The journal in a folder, which need not exist. */
export function journalIn(folder: string, now: () => number = Date.now): Journal {
  let count = 0;
  const fileOf = ({ at, id }: OwedDelivery) => join(folder, `${String(at).padStart(15, '0')}-${id}.json`);
  const files = () =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .sort();
  return {
    add(move) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (const file of files().slice(0, -(maxOwed - 1))) rmSync(join(folder, file), { force: true });
      // Refs of one push share the millisecond; the order they came in is kept by the id's own beginning.
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

function read(file: string): OwedDelivery[] {
  try {
    const delivery = readStateSync(file, DeliverySchema);
    return delivery ? [delivery] : [];
  } catch {
    return [];
  }
}

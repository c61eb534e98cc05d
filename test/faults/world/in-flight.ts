import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replay } from '../../../lib/aws-local/emulators/kept-queues/replay.mjs';
import { queues } from './aws.ts';

/** A message whose receiver has died. */
export interface InFlight {
  readonly id: string;
  readonly queue: string;
  /** When its visibility timeout ends, in milliseconds since 1970. */
  readonly until: number;
}

/** What the journal says of a receive. */
interface Received {
  readonly queue: string;
  readonly did: string;
  readonly receipts?: readonly { readonly id: string; readonly until: number }[];
}

/** Returns the messages that are in flight in the data folder of a service that does not run. */
export function inFlight(dataDir: string): readonly InFlight[] {
  const now = Date.now();
  return [...replay(recordsOf(dataDir))].flatMap(([queue, { messages }]) =>
    [...messages].flatMap(([id, { receipt }]) =>
      receipt && receipt.until > now ? [{ id, queue, until: receipt.until }] : [],
    ),
  );
}

/**
 * Returns the messages that were received again before their visibility timeout had ended, by the next start's journal.
 */
export function receivedEarly(dataDir: string, messages: readonly InFlight[]): readonly string[] {
  const receives = recordsOf(dataDir).flatMap(({ queue, did, receipts = [] }) =>
    did === 'received' ? receipts.map(({ id, until }) => ({ id, at: until - hiddenMs(queue) })) : [],
  );
  return messages.flatMap(({ id, queue, until }) => {
    const again = receives.find((receive) => receive.id === id);
    return again && again.at < until ? [`${queue}: ${until - again.at} ms too early`] : [];
  });
}

/** How long a queue hides what was received. */
function hiddenMs(name: string): number {
  const found = queues.find((queue) => name.includes(`Queues${queue.name}`));
  if (!found) throw new Error(`No queue of the service is in the name ${name}.`);
  return found.visibilitySeconds * 1000;
}

/** A kill may have torn the last line. */
function recordsOf(dataDir: string): readonly Received[] {
  const [, ...lines] = readFileSync(join(dataDir, 'aws', 'messages.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Received];
    } catch {
      return [];
    }
  });
}

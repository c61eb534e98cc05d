import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Throttled } from '../invoke/function-error.ts';
import type { Invoker } from '../invoke/invoker.ts';

/** What differs between accounts, and between runs. */
export interface Strictness {
  /** Invocations that the account may run at a time; default: those of a new account. */
  readonly concurrency?: number;
  /** With it, batches come twice, as this number decides: the same one makes the same choices. */
  readonly seed?: number;
}

/**
 * Returns a number from 0 to below 1 that only the seed and the words decide: the same again in a run in which other
 * things happen in another order.
 */
export function chance(seed: number, ...words: readonly (string | number)[]): number {
  const digest = createHash('sha1')
    .update(JSON.stringify([seed, ...words]))
    .digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}

/** Options of the delivery of events. */
interface EventOptions {
  /** Decides which batches are delivered twice; default: none. */
  readonly seed?: number | undefined;
  /** The part of the batches that are; default: a fifth with a seed. */
  readonly doubledPart?: number;
  /** Time limit for an event that waits for the account's concurrency. */
  readonly patienceMs?: number;
}

const DOUBLED_PART = 0.2;
/** Lambda tries again for hours; the visibility timeout of a queue ends before. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 100;

/**
 * Invokes functions for events as the pollers of Lambda do: they wait while the account is throttled, but not with
 * messages for whose function all reserved runs are taken, and batches of messages and records may come twice, the
 * second time after the first delivery has succeeded, each half of a bisected batch by itself. The seed and the place
 * among the function's batches decide which.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventsourcemapping.html
 */
export function strictEvents(functions: Invoker, options: EventOptions = {}): Invoker {
  const { seed = 0, doubledPart = options.seed === undefined ? 0 : DOUBLED_PART, patienceMs = PATIENCE_MS } = options;
  const batches = new Map<string, number>();
  const patiently = async (name: string, event: unknown): Promise<unknown> => {
    const end = Date.now() + patienceMs;
    for (;;) {
      try {
        return await functions.invoke(name, event);
      } catch (error) {
        if (!(error instanceof Throttled) || Date.now() > end) throw error;
        // Such messages are received again after their visibility timeout, one receive later.
        if (error.isOfFunction && isOfQueue(event)) throw error;
        await sleep(PAUSE_MS);
      }
    }
  };
  return {
    invoke: async (name, event) => {
      const first = await patiently(name, event);
      if (!isBatch(event)) return first;
      const place = (batches.get(name) ?? 0) + 1;
      batches.set(name, place);
      return chance(seed, 'doubled', name, place) < doubledPart ? patiently(name, event) : first;
    },
  };
}

function isBatch(event: unknown): event is { readonly Records: unknown } {
  return typeof event === 'object' && event !== null && 'Records' in event;
}

function isOfQueue(event: unknown): boolean {
  const [record] = isBatch(event) && Array.isArray(event.Records) ? event.Records : [];
  return record?.eventSource === 'aws:sqs';
}

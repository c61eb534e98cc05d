import { backOff, keyedMutex } from '../../../core/concurrency.ts';
import type { DeployLog } from '../../../core/ports/log.ts';
import { appendOnce } from './append.ts';
import { claimStage, releaseClaim } from './claim.ts';
import { CounterCache, type WriteContext } from './counters.ts';
import { keys } from './items.ts';
import { moveOnce } from './move.ts';
import { storePayload } from './payloads.ts';
import { readEntry, readItem, type TableContext } from './table.ts';

/**
 * A transaction that conflicts with other writers is an error after both that many attempts and that time. By attempts
 * alone a writer beside eight others loses once in some thousand times; by time alone a slow machine has too few.
 */
const MIN_ATTEMPTS = 60;
const GIVE_UP_AFTER_MS = 20_000;
/** In milliseconds. */
const PAUSES = { first: 5, most: 250 };

/** Returns the log in DynamoDB. */
export function dynamoDbLog(table: TableContext): DeployLog {
  const context = { ...table, counters: new CounterCache(table.clock) };
  // Writers of one process would only refuse each other's transactions; those of other processes still do.
  const mutex = keyedMutex();
  return {
    append: (request) =>
      mutex(request.draft.user, async () => {
        const { user } = request.draft;
        await Promise.all([storePayload(context, request), knowCounters(context, user)]);
        return withRetries(context, () => appendOnce(context, request));
      }),
    move: (user, number, decide) =>
      mutex(user, async () => {
        await knowCounters(context, user);
        return withRetries(context, () => moveOnce(context, { user, number }, decide));
      }),
    read: (user, number) => readEntry(context, user, number),
    claim: (claim) => claimStage(context, claim),
    releaseClaim: (stage, dueAt) => releaseClaim(context, stage, dueAt),
  };
}

async function knowCounters(context: WriteContext, user: string): Promise<void> {
  const { counters } = context;
  if (!counters.isFresh(user)) counters.setFrom(user, await readItem(context, keys.counters(user)));
}

/** Repeats a transaction until there is no conflict, with full jitter between the attempts. */
async function withRetries<T>({ clock, ids }: WriteContext, once: () => Promise<T | 'again'>): Promise<T> {
  const giveUpAt = clock.now() + GIVE_UP_AFTER_MS;
  for (let attempt = 0; attempt < MIN_ATTEMPTS || clock.now() < giveUpAt; attempt += 1) {
    const result = await once();
    if (result !== 'again') return result;
    // The first refusal usually only corrects the guess of the counters: no need to wait.
    if (attempt > 0) await clock.sleep(backOff(attempt, PAUSES) * ids.fraction());
  }
  throw new Error('The transaction was in conflict with other writers at every attempt.');
}

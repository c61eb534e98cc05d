import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { backOff, keyedMutex } from '../../../core/concurrency.ts';
import { isFinal } from '../../../core/entry/entry.ts';
import type { Announce, AppendRequest, ClaimResult, DeployLog, StageClaim } from '../../../core/ports/log.ts';
import { expiry, RETENTION_SECONDS } from '../retention.ts';
import { appendOnce } from './append.ts';
import { claimStage, releaseClaim } from './claim.ts';
import { CounterCache, type WriteContext } from './counters.ts';
import { keys, N, S } from './items.ts';
import { moveOnce } from './move.ts';
import { readEntry, readItem, type TableContext } from './table.ts';

/**
 * A transaction that conflicts with other writers is an error after both that many attempts and that time. By attempts
 * alone a writer beside eight others loses once in some thousand times; by time alone a slow machine has too few.
 */
const MIN_ATTEMPTS = 60;
const GIVE_UP_AFTER_MS = 20_000;
/** In milliseconds. */
const PAUSES = { first: 5, most: 250 };

export function dynamoDbLog(table: TableContext): DeployLog {
  const context = { ...table, counters: new CounterCache(table.clock) };
  // Writers of one process would only refuse each other's transactions; those of other processes still do.
  const mutex = keyedMutex();
  const move: DeployLog['move'] = (user, number, decide) =>
    mutex(user, async () => {
      await knowCounters(context, user);
      return withRetries(context, () => moveOnce(context, { user, number }, decide));
    });
  return {
    append: (request) =>
      mutex(request.draft.user, async () => {
        const { user } = request.draft;
        await Promise.all([storePayload(context, request), knowCounters(context, user)]);
        return withRetries(context, () => appendOnce(context, request));
      }),
    move,
    read: (user, number) => readEntry(context, user, number),
    claim: async (claim, announce) => {
      const result = await claimStage(context, claim);
      return result.outcome === 'claimed' && announce ? announced(result, claim, announce, move) : result;
    },
    releaseClaim: (stage, dueAt) => releaseClaim(context, stage, dueAt),
  };
}

/** Writes what a claim announces, unless the entry has ended since: a final status must not change. */
async function announced(
  claimed: Extract<ClaimResult, { outcome: 'claimed' }>,
  { user, number, dueAt }: StageClaim,
  announce: Announce,
  move: DeployLog['move'],
): Promise<ClaimResult> {
  const changes = announce(claimed.entry, claimed.attempts);
  if (changes === null) return claimed;
  const entry = await move(user, number, ({ status }) =>
    isFinal(status) ? null : { changes, keepsLease: true, dueAt },
  );
  return { ...claimed, entry: entry ?? claimed.entry };
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

/** An item has at most 400 kB. Payloads compress to a tenth, so most have one part. */
const PART_BYTES = 350_000;

const packed = promisify(gzip);

/**
 * Stores the payload of a new entry under the uuid of its request. Not in the transaction of the entry, where it would
 * cost twice as much, and again at each attempt: a payload whose entry is not written expires.
 */
async function storePayload(
  { client, payloads, clock }: TableContext,
  { draft: { user, uuid }, payload }: AppendRequest,
): Promise<void> {
  if (payloads === undefined) throw new Error('Only functions that know the table of payloads may append entries.');
  const bytes = await packed(payload);
  const expires = N(expiry(clock.now(), RETENTION_SECONDS.payload));
  const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  const put = (part: number) => {
    const gzip = { B: bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES) };
    return client.send(
      new PutItemCommand({ TableName: payloads, Item: { pk: S(user), sk: S(`${uuid}#${part}`), gzip, expires } }),
    );
  };
  await Promise.all(Array.from({ length: parts }, (_, part) => put(part)));
}

import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../../core/ports/system.ts';
import { type Item, keys, N, numberIn } from './items.ts';
import type { TableContext } from './table.ts';

/** The two counters of a user: the number of the last change and of the last entry. */
interface Counters {
  readonly changes: number;
  readonly entries: number;
  /** Until when somebody may watch the changes, in milliseconds since 1970; 0: nobody has. */
  readonly watchedUntil: number;
}

/** The attribute of the counters' item. */
export const WATCHED_UNTIL = 'watched_until';

export interface WriteContext extends TableContext {
  readonly counters: CounterCache;
}

/** Size of the cache. A full cache is cleared, which costs one read per user. */
const MAX_USERS = 10_000;
/**
 * A guess that is older is no longer used: other writers have probably moved the counters since. Each entry that is
 * appended is taken up by a stage within some tenths of a second, in another process.
 */
const MAX_AGE_MS = 50;
const NO_ENTRIES: Counters = { changes: 0, entries: 0, watchedUntil: 0 };

/**
 * The users' counters as this process last saw them. They are a guess: the transaction checks it, and its refusal
 * returns the right value. A refused transaction costs as much as one that is written, so that a guess that is
 * probably wrong is replaced by a read.
 */
export class CounterCache {
  readonly #known = new Map<string, Counters & { readonly at: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  guess(user: string): Counters {
    return this.#known.get(user) ?? NO_ENTRIES;
  }

  /** Whether the guess is recent enough to be worth a transaction. */
  isFresh(user: string): boolean {
    const counters = this.#known.get(user);
    return counters !== undefined && this.#clock.now() - counters.at <= MAX_AGE_MS;
  }

  /** Whether somebody may watch the changes of the user now. */
  isWatched(user: string): boolean {
    return this.guess(user).watchedUntil > this.#clock.now();
  }

  set(user: string, counters: Counters): void {
    if (this.#known.size >= MAX_USERS) this.#known.clear();
    this.#known.set(user, { ...counters, at: this.#clock.now() });
  }

  /** Takes the counters from their item; none means that the user has no entries. */
  setFrom(user: string, item: Item | undefined): void {
    const number = (name: string) => numberIn(item, name) ?? 0;
    this.set(user, { changes: number('changes'), entries: number('entries'), watchedUntil: number(WATCHED_UNTIL) });
  }
}

/**
 * Returns the update of the counters from `from` to `to`, on condition that they are at `from`, and that nobody has
 * begun to watch meanwhile: the change would not be signalled.
 */
export function countersUpdate(
  table: string,
  user: string,
  from: Counters,
  to: Pick<Counters, 'changes' | 'entries'>,
): TransactWriteItem {
  const { changes, watchedUntil } = from;
  const conditions = [
    changes === 0 ? 'attribute_not_exists(changes)' : 'changes = :from',
    watchedUntil === 0 ? `attribute_not_exists(${WATCHED_UNTIL})` : `${WATCHED_UNTIL} = :watched`,
  ];
  return {
    Update: {
      TableName: table,
      Key: keys.counters(user),
      UpdateExpression: 'SET changes = :changes, entries = :entries',
      ConditionExpression: conditions.join(' AND '),
      ExpressionAttributeValues: {
        ':changes': N(to.changes),
        ':entries': N(to.entries),
        ...(changes !== 0 && { ':from': N(changes) }),
        ...(watchedUntil !== 0 && { ':watched': N(watchedUntil) }),
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { type Item, keys, N, numberIn } from './items.ts';

/** The two counters of a user: the number of the last change and of the last entry. */
export interface Counters {
  readonly changes: number;
  readonly entries: number;
}

/** Size of the cache. A full cache is cleared, which costs one refused transaction per user. */
const MAX_USERS = 10_000;

/**
 * The users' counters as this process last saw them. They are a guess: the transaction checks it, and its refusal
 * returns the right value. So the common case needs no read before the write.
 */
export class CounterCache {
  readonly #known = new Map<string, Counters>();

  guess(user: string): Counters {
    return this.#known.get(user) ?? { changes: 0, entries: 0 };
  }

  set(user: string, counters: Counters): void {
    if (this.#known.size >= MAX_USERS) this.#known.clear();
    this.#known.set(user, counters);
  }

  /** Takes the counters from the item that a refused transaction returned; none means that the user has no entries. */
  setFrom(user: string, item: Item | undefined): void {
    this.set(user, { changes: numberIn(item, 'changes') ?? 0, entries: numberIn(item, 'entries') ?? 0 });
  }
}

/** Returns the update of the counters from `from` to `to`, on condition that they are at `from`. */
export function countersUpdate(table: string, user: string, from: Counters, to: Counters): TransactWriteItem {
  const unset = from.changes === 0;
  return {
    Update: {
      TableName: table,
      Key: keys.counters(user),
      UpdateExpression: 'SET changes = :changes, entries = :entries',
      ConditionExpression: unset ? 'attribute_not_exists(changes)' : 'changes = :from',
      ExpressionAttributeValues: {
        ':changes': N(to.changes),
        ':entries': N(to.entries),
        ...(!unset && { ':from': N(from.changes) }),
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { type Item, keys, N, numberIn } from './items.ts';

/** The two counters of a user: the number of the last change and of the last entry. */
export interface Head {
  readonly changes: number;
  readonly entries: number;
}

/** Users whose counters are remembered; beyond that all are forgotten, which costs one refused transaction each. */
const REMEMBERED = 10_000;

/**
 * What this process last knew of the users' counters. A guess: the transaction checks it, and a wrong guess is told
 * the right value by the refusal. So the common case needs no read before the write.
 */
export class Heads {
  readonly #known = new Map<string, Head>();

  guess(user: string): Head {
    return this.#known.get(user) ?? { changes: 0, entries: 0 };
  }

  learn(user: string, head: Head): void {
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(user, head);
  }

  /** Learns from the item that a refused transaction met; none means that the user has no entries. */
  learnItem(user: string, item: Item | undefined): void {
    this.learn(user, { changes: numberIn(item, 'changes') ?? 0, entries: numberIn(item, 'entries') ?? 0 });
  }
}

/** Moves the counters from `from` to `to`, if they stand at `from`. */
export function headUpdate(table: string, user: string, from: Head, to: Head): TransactWriteItem {
  const unset = from.changes === 0;
  return {
    Update: {
      TableName: table,
      Key: keys.head(user),
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

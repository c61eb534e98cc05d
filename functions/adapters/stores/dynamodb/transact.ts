import {
  type CancellationReason,
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';

/** Why a transaction was refused, action by action in the order of its items. */
export interface Refusal {
  readonly reasons: readonly CancellationReason[];
}

/**
 * Writes all items or none. Gives null when they were written, or why not: a condition that failed (with the item that
 * stood in its way) or a conflict with another transaction. Throws on everything else.
 */
export async function transact(client: DynamoDBClient, items: TransactWriteItem[]): Promise<Refusal | null> {
  try {
    // The SDK makes a new ClientRequestToken for every command: with an old one a retry would get the old answer.
    await client.send(new TransactWriteItemsCommand({ TransactItems: items }));
    return null;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const reasons = error.CancellationReasons ?? [];
    const fatal = reasons.find(({ Code }) => Code === 'ValidationError' || Code === 'ItemCollectionSizeLimitExceeded');
    if (fatal) throw error;
    return { reasons };
  }
}

/** Whether the condition of the item at that place was what failed. */
export function conditionFailed(refusal: Refusal, place: number): boolean {
  return refusal.reasons[place]?.Code === 'ConditionalCheckFailed';
}

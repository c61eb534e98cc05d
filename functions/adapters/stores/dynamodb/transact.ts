import {
  type CancellationReason,
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';

/** Why a transaction was refused, item by item. */
export interface Refusal {
  readonly reasons: readonly CancellationReason[];
}

/**
 * Writes all items or none. Returns null when they were written, or the refusal: a condition that failed, with the item
 * that it met, or a conflict with another transaction. Throws everything else.
 */
export async function transact(client: DynamoDBClient, items: TransactWriteItem[]): Promise<Refusal | null> {
  try {
    // The SDK makes a new ClientRequestToken for every command: with the old one a retry would get the old result.
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

/** Whether the condition of the item at that index failed. */
export function conditionFailed(refusal: Refusal, index: number): boolean {
  return refusal.reasons[index]?.Code === 'ConditionalCheckFailed';
}

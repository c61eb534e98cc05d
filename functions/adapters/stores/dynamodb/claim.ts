import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { isFinal } from '../../../core/entry/entry.ts';
import { isAfter } from '../../../core/pipeline/pipeline.ts';
import type { ClaimedStage, ClaimResult, StageClaim } from '../../../core/ports/log.ts';
import { entryOf, type Item, keys, N, numberIn, S, stringIn } from './items.ts';
import type { TableContext } from './table.ts';

/**
 * Claims a stage, as `DeployLog.claim` does. The client repeats a call whose answer was lost, and then meets its own
 * lease: the claim is known by an id of its own.
 */
export async function claimStage({ client, table, ids }: TableContext, claim: StageClaim): Promise<ClaimResult> {
  const id = ids.uuid();
  try {
    const { Attributes } = await client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: keys.entry(claim.user, claim.number),
        UpdateExpression:
          'SET lease = :until, claim_id = :id, due_at = :due, attempts = attempts + :one, taken_at = if_not_exists(taken_at, :now)',
        ConditionExpression:
          'stage = :stage AND (#status = :queued OR #status = :running) AND (attribute_not_exists(lease) OR lease < :now)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':until': N(claim.leaseUntil),
          ':id': S(id),
          ':due': N(claim.dueAt),
          ':one': N(1),
          ':now': N(claim.now),
          ':stage': S(claim.stage),
          ':queued': S('queued'),
          ':running': S('running'),
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return claimed(Attributes ?? {});
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return refused(error.Item, claim, id);
  }
}

function claimed(item: Item): ClaimResult {
  return { outcome: 'claimed', entry: entryOf(item), attempts: numberIn(item, 'attempts') ?? 1 };
}

/** Returns why a stage was not claimed, from the item that the condition met. */
function refused(item: Item | undefined, { stage, now }: StageClaim, id: string): ClaimResult {
  if (!item) return { outcome: 'closed' };
  const entry = entryOf(item);
  if (isFinal(entry.status) || entry.status === 'held') return { outcome: 'closed' };
  if (stringIn(item, 'claim_id') === id) return claimed(item);
  if (stringIn(item, 'stage') === stage) return { outcome: 'locked', until: numberIn(item, 'lease') ?? now };
  return isAfter(entry.stage, stage) ? { outcome: 'alreadyDone', entry } : { outcome: 'closed' };
}

/** Releases a claim, as `DeployLog.releaseClaim` does. */
export async function releaseClaim(
  { client, table }: TableContext,
  { user, number, stage }: ClaimedStage,
  dueAt: number,
): Promise<void> {
  try {
    await client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: keys.entry(user, number),
        UpdateExpression: 'SET attempts = attempts - :one, due_at = :due REMOVE lease, claim_id',
        ConditionExpression: 'stage = :stage AND attribute_exists(lease)',
        ExpressionAttributeValues: { ':one': N(1), ':due': N(dueAt), ':stage': S(stage) },
      }),
    );
  } catch (error) {
    // Another worker has moved the entry to its next stage: there is no claim to release.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

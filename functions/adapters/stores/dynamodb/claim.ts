import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { isFinal } from '../../../core/entry/entry.ts';
import type { Job } from '../../../core/pipeline/job.ts';
import { isAfter } from '../../../core/pipeline/pipeline.ts';
import type { ClaimedStage, ClaimResult, StageClaim } from '../../../core/ports/log.ts';
import { entryOf, type Item, keys, N, numberIn, S, stringIn } from './items.ts';
import type { TableContext } from './table.ts';

/**
 * Claims a stage, as `DeployLog.claim` does. The SDK repeats a call whose answer was lost, and then
 * finds its own lease: it is recognised by the claim's id.
 */
export async function claimStage({ client, table, ids }: TableContext, claim: StageClaim): Promise<ClaimResult> {
  const id = ids.uuid();
  try {
    const { Attributes } = await client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: keys.entry(claim.user, claim.number),
        UpdateExpression:
          'SET lease = :until, claim_id = :id, due = :due, attempts = attempts + :one, taken_at = if_not_exists(taken_at, :now)',
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
    await lookEarlier({ client, table }, claim, Attributes ?? {}, claim.dueAt);
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

/** Has the index show an entry by the time at which it is due, when it would show it later. */
async function lookEarlier(
  { client, table }: Pick<TableContext, 'client' | 'table'>,
  { user, number }: Job,
  item: Item,
  dueAt: number,
): Promise<void> {
  if ((numberIn(item, 'due_at') ?? 0) <= dueAt) return;
  const update = {
    TableName: table,
    Key: keys.entry(user, number),
    UpdateExpression: 'SET due_at = :due',
    // Otherwise it has ended in the meantime, or is due at another time.
    ConditionExpression: 'attribute_exists(due_pk) AND due = :due',
    ExpressionAttributeValues: { ':due': N(dueAt) },
  };
  await client.send(new UpdateItemCommand(update)).catch(unlessRefused);
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
}

/** Releases a claim, as `DeployLog.releaseClaim` does. */
export async function releaseClaim(
  { client, table }: TableContext,
  { user, number, stage }: ClaimedStage,
  dueAt: number,
): Promise<void> {
  const update = {
    TableName: table,
    Key: keys.entry(user, number),
    UpdateExpression: 'SET attempts = attempts - :one, due = :due REMOVE lease, claim_id',
    ConditionExpression: 'stage = :stage AND attribute_exists(lease)',
    ExpressionAttributeValues: { ':one': N(1), ':due': N(dueAt), ':stage': S(stage) },
    ReturnValues: 'ALL_NEW' as const,
  };
  // Refused when another worker has moved the entry to its next stage: there is no claim to release.
  const released = await client.send(new UpdateItemCommand(update)).catch(unlessRefused);
  if (released?.Attributes) await lookEarlier({ client, table }, { user, number }, released.Attributes, dueAt);
}

import { isFinal } from '../../../core/entry/entry.ts';
import type { Job } from '../../../core/pipeline/job.ts';
import { isAfter } from '../../../core/pipeline/pipeline.ts';
import type { ClaimedStage, ClaimResult, StageClaim } from '../../../core/ports/log.ts';
import { entryOf, type Item, keys, N, numberIn, S, stringIn } from './items.ts';
import { type Table, type TableContext, update } from './table.ts';

/**
 * Claims a stage, as `DeployLog.claim` does. The SDK repeats a call whose answer was lost, and then
 * finds its own lease: it is recognised by the claim's id.
 */
export async function claimStage(context: TableContext, claim: StageClaim): Promise<ClaimResult> {
  const id = context.ids.uuid();
  const { holds, item = {} } = await update(context, keys.entry(claim.user, claim.number), {
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
  });
  if (!holds) return item.doc ? refused(item, claim, id) : { outcome: 'closed' };
  await lookEarlier(context, claim, item, claim.dueAt);
  return claimed(item);
}

function claimed(item: Item): ClaimResult {
  return { outcome: 'claimed', entry: entryOf(item), attempts: numberIn(item, 'attempts') ?? 1 };
}

/** Returns why a stage was not claimed, from the item that the condition met. */
function refused(item: Item, { stage, now }: StageClaim, id: string): ClaimResult {
  const entry = entryOf(item);
  if (isFinal(entry.status) || entry.status === 'held') return { outcome: 'closed' };
  if (stringIn(item, 'claim_id') === id) return claimed(item);
  if (stringIn(item, 'stage') === stage) return { outcome: 'locked', until: numberIn(item, 'lease') ?? now };
  return isAfter(entry.stage, stage) ? { outcome: 'alreadyDone', entry } : { outcome: 'closed' };
}

/** Moves an entry to an earlier place in the index of due entries, never to a later one. */
async function lookEarlier(table: Table, { user, number }: Job, item: Item, dueAt: number): Promise<void> {
  if ((numberIn(item, 'due_at') ?? 0) <= dueAt) return;
  await update(table, keys.entry(user, number), {
    UpdateExpression: 'SET due_at = :due',
    // Otherwise it has ended in the meantime, or is due at another time.
    ConditionExpression: 'attribute_exists(due_pk) AND due = :due',
    ExpressionAttributeValues: { ':due': N(dueAt) },
  });
}

/** Releases a claim, as `DeployLog.releaseClaim` does. */
export async function releaseClaim(table: Table, claimed: ClaimedStage, dueAt: number): Promise<void> {
  const { user, number, stage } = claimed;
  // Refused when another worker has moved the entry to its next stage: there is no claim to release.
  const { holds, item = {} } = await update(table, keys.entry(user, number), {
    UpdateExpression: 'SET attempts = attempts - :one, due = :due REMOVE lease, claim_id',
    ConditionExpression: 'stage = :stage AND attribute_exists(lease)',
    ExpressionAttributeValues: { ':one': N(1), ':due': N(dueAt), ':stage': S(stage) },
    ReturnValues: 'ALL_NEW',
  });
  if (holds) await lookEarlier(table, claimed, item, dueAt);
}

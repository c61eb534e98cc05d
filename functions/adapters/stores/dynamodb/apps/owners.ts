import { type AppOwner, ownerKey } from '../../../../core/entry/app-owner.ts';
import type { OwnerClaim } from '../../../../core/ports/facts.ts';
import type { AppRef } from '../../../../core/ports/platform.ts';
import { type Item, keys, N, PREVIEW_PARTITION, RECONCILE_PARTITION, S, stringIn } from '../items.ts';
import { readItem, type Table, type TableContext, update } from '../table.ts';

export async function claimApp(table: Table, { user, app }: AppRef, order: number): Promise<boolean> {
  const { holds } = await update(table, keys.app(user, app), {
    UpdateExpression: 'SET claimed = :order',
    ConditionExpression: 'attribute_not_exists(claimed) OR claimed <= :order',
    ExpressionAttributeValues: { ':order': N(order) },
  });
  return holds;
}

export async function appOwner(table: Table, { user, app }: AppRef): Promise<AppOwner | null> {
  return ownerIn(await readItem(table, keys.app(user, app)));
}

export async function ownApp(context: TableContext, key: AppRef, { branch, ...owner }: OwnerClaim): Promise<AppOwner> {
  const { holds, item } = await update(context, keys.app(key.user, key.app), {
    UpdateExpression: `SET owner_key = :key, owner_doc = :doc${branch === undefined ? '' : TRACKING}`,
    // An application of an earlier version has no owner: its next deploy becomes that.
    ConditionExpression: 'attribute_not_exists(owner_key) OR owner_key = :key',
    ExpressionAttributeValues: {
      ':key': S(ownerKey(owner)),
      ':doc': S(JSON.stringify(owner)),
      ...(branch !== undefined && tracking(owner, branch, context.clock.now())),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return holds ? owner : (ownerIn(item) ?? owner);
}

/** Has the application compared with the tip of its branch. When it is due does not change with further deploys. */
const TRACKING = ', pushed_branch = :branch, due_pk = :partition, due_at = if_not_exists(due_at, :now)';

function tracking({ pullRequest }: AppOwner, branch: string, now: number): Item {
  const partition = pullRequest ? PREVIEW_PARTITION : RECONCILE_PARTITION;
  return { ':branch': S(branch), ':partition': S(partition), ':now': N(now) };
}

/** Frees the name of an application, as `DeployFacts.freeApp` does. What claimed it stays: older deploys stay older. */
export async function freeApp(table: Table, { user, app }: AppRef): Promise<void> {
  await update(table, keys.app(user, app), { UpdateExpression: `REMOVE ${OWNED.join(', ')}` });
}

const OWNED = ['owner_key', 'owner_doc', 'pushed_branch', 'due_pk', 'due_at', 'compared_at'];

export function ownerIn(item: Item | undefined): AppOwner | null {
  const doc = stringIn(item, 'owner_doc');
  return doc === undefined ? null : (JSON.parse(doc) as AppOwner);
}

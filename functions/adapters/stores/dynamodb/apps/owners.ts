import { type AppOwner, ownerIdKey, ownerKey } from '../../../../core/entry/app-owner.ts';
import type { OwnerClaim } from '../../../../core/ports/facts.ts';
import type { AppRef } from '../../../../core/ports/platform.ts';
import { type Item, keys, N, PREVIEW_PARTITION, RECONCILE_PARTITION, S, stringIn } from '../items.ts';
import { conditionFailed, readItem, type Table, type TableContext, transact, update } from '../table.ts';

export async function claimApp(table: Table, { user, app }: AppRef, order: number): Promise<boolean> {
  const { holds } = await update(table, keys.app(user, app), {
    UpdateExpression: 'SET claimed = :order',
    ConditionExpression: 'attribute_not_exists(claimed) OR claimed <= :order',
    ExpressionAttributeValues: { ':order': N(order) },
  });
  return holds;
}

export async function appOwner(table: Table, { user, app }: AppRef): Promise<OwnerClaim | null> {
  return claimIn(await readItem(table, keys.app(user, app)));
}

export async function ownApp(context: TableContext, key: AppRef, claim: OwnerClaim): Promise<OwnerClaim | null> {
  const { branch, ...owner } = claim;
  const id = ownerIdKey(owner);
  const owned = id === null ? OWNED_BY_NAME : OWNED_BY_ID;
  const follows = owner.pullRequest ? ':branch' : 'if_not_exists(pushed_branch, :branch)';
  const { item } = await update(context, keys.app(key.user, key.app), {
    UpdateExpression: `SET owner_key = :key, ${owned.set}${branch === undefined ? '' : tracking(follows)}`,
    // An application of an earlier version has no owner: its next deploy becomes that.
    ConditionExpression: `attribute_not_exists(owner_key) OR ${owned.isSame}`,
    ExpressionAttributeValues: {
      ':key': S(ownerKey(owner)),
      ':doc': S(JSON.stringify(owner)),
      ...(id !== null && { ':id': S(id) }),
      ...(branch !== undefined && tracked(owner, branch, context.clock.now())),
    },
    ReturnValues: 'ALL_OLD',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return claimIn(item);
}

/** What `isSameOwner` says, and what is kept then. */
const OWNED_BY_NAME = { isSame: 'owner_key = :key', set: 'owner_doc = if_not_exists(owner_doc, :doc)' };
const OWNED_BY_ID = {
  isSame: 'owner_id = :id OR (attribute_not_exists(owner_id) AND owner_key = :key)',
  set: 'owner_doc = :doc, owner_id = :id',
};

/** Makes a repository the owner of an application, as `DeployFacts.transferApp` does. */
export async function transferApp(table: Table, { user, app }: AppRef, owner: AppOwner): Promise<void> {
  const id = ownerIdKey(owner);
  await update(table, keys.app(user, app), {
    UpdateExpression: `SET owner_key = :key, owner_doc = :doc${id === null ? ' REMOVE owner_id' : ', owner_id = :id'}`,
    ExpressionAttributeValues: {
      ':key': S(ownerKey(owner)),
      ':doc': S(JSON.stringify(owner)),
      ...(id !== null && { ':id': S(id) }),
    },
  });
}

/** Moves the owner of an application to another name, as `DeployFacts.renameApp` does. */
export async function renameApp({ client, table }: Table, { user, app }: AppRef, to: string): Promise<void> {
  const found = await readItem({ client, table }, keys.app(user, app));
  const owned = OWNED.flatMap((name) => (found?.[name] ? [[name, found[name]] as const] : []));
  if (!found?.owner_key) return;
  const refused = await transact(client, [
    {
      Update: {
        TableName: table,
        Key: keys.app(user, to),
        UpdateExpression: `SET ${owned.map(([name]) => `${name} = :${name}`).join(', ')}`,
        ConditionExpression: 'attribute_not_exists(owner_key)',
        ExpressionAttributeValues: Object.fromEntries(owned.map(([name, value]) => [`:${name}`, value])),
      },
    },
    {
      Update: {
        TableName: table,
        Key: keys.app(user, app),
        UpdateExpression: `REMOVE ${OWNED.join(', ')}`,
        ConditionExpression: 'owner_doc = :doc',
        ExpressionAttributeValues: { ':doc': found.owner_doc ?? S('') },
      },
    },
  ]);
  // A name that another one has taken since the call stays with it.
  if (refused && !conditionFailed(refused, 0)) throw new Error(`The owner of ${app} was changed by others.`);
}

/** Has an application follow another branch, as `DeployFacts.followBranch` does. */
export async function followBranch(context: TableContext, { user, app }: AppRef, branch: string): Promise<boolean> {
  const { holds } = await update(context, keys.app(user, app), {
    UpdateExpression: `SET ${tracking(':branch').slice(2)}`,
    ConditionExpression: 'attribute_exists(owner_key)',
    ExpressionAttributeValues: tracked({}, branch, context.clock.now()),
  });
  return holds;
}

/** Has the application compared with the tip of its branch. When it is due does not change with further deploys. */
function tracking(branch: string): string {
  return `, pushed_branch = ${branch}, due_pk = :partition, due_at = if_not_exists(due_at, :now)`;
}

function tracked({ pullRequest }: Pick<AppOwner, 'pullRequest'>, branch: string, now: number): Item {
  const partition = pullRequest ? PREVIEW_PARTITION : RECONCILE_PARTITION;
  return { ':branch': S(branch), ':partition': S(partition), ':now': N(now) };
}

/** Frees the name of an application, as `DeployFacts.freeApp` does. What claimed it stays: older deploys stay older. */
export async function freeApp(table: Table, { user, app }: AppRef): Promise<void> {
  await update(table, keys.app(user, app), { UpdateExpression: `REMOVE ${OWNED.join(', ')}` });
}

const OWNED = ['owner_key', 'owner_id', 'owner_doc', 'pushed_branch', 'due_pk', 'due_at', 'compared_at'];

function claimIn(item: Item | undefined): OwnerClaim | null {
  const [owner, branch] = [ownerIn(item), stringIn(item, 'pushed_branch')];
  return owner && { ...owner, ...(branch !== undefined && { branch }) };
}

export function ownerIn(item: Item | undefined): AppOwner | null {
  const doc = stringIn(item, 'owner_doc');
  return doc === undefined ? null : (JSON.parse(doc) as AppOwner);
}

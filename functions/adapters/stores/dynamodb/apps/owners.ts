import { type AppOwner, isSameOwner, ownerIdKey, ownerKey, parentOf } from '../../../../core/entry/app-owner.ts';
import type { AppOwners, OwnerClaim } from '../../../../core/ports/facts.ts';
import type { AppRef } from '../../../../core/ports/platform.ts';
import { updateOf } from '../../../aws/attributes.ts';
import {
  APP_PREFIX,
  type Item,
  keys,
  N,
  ownerPartition,
  PREVIEW_PARTITION,
  RECONCILE_PARTITION,
  S,
  stringIn,
} from '../items.ts';
import {
  appItems,
  conditionFailed,
  readItem,
  readItems,
  type Table,
  type TableContext,
  transact,
  update,
} from '../table.ts';

/** Returns the facts about the owners of applications. */
export function dynamoDbOwners(context: TableContext): AppOwners {
  const { clock } = context;
  return {
    claimApp: async (user, app, order) => {
      const { holds } = await update(context, keys.app(user, app), {
        UpdateExpression: 'SET claimed = :order',
        ConditionExpression: 'attribute_not_exists(claimed) OR claimed <= :order',
        ExpressionAttributeValues: { ':order': N(order) },
      });
      return holds;
    },
    appOwner: async (user, app) => claimIn(await readItem(context, keys.app(user, app))),
    owned: async (user, owner) => {
      const items = await ownedItems(context, user, owner, sortOf(owner));
      return items.flatMap((item) => {
        const claim = claimIn(item);
        return item && claim && isSameOwner(claim, owner) ? [{ app: appIn(item), owner: claim }] : [];
      });
    },
    ownApp: async (user, app, { branch, ...owner }) => {
      const owned = ownerIdKey(owner) === null ? OWNED_BY_NAME : OWNED_BY_ID;
      const follows = owner.pullRequest ? ':branch' : 'if_not_exists(pushed_branch, :branch)';
      const { item } = await update(context, keys.app(user, app), {
        UpdateExpression: `SET owner_key = :key, ${owned.set}${branch === undefined ? '' : `, ${tracking(follows)}`}`,
        ConditionExpression: `attribute_not_exists(owner_key) OR ${owned.isSame}`,
        ExpressionAttributeValues: {
          ...valuesOf(user, owner),
          ...(branch !== undefined && tracked(owner, branch, clock.now())),
        },
        ReturnValues: 'ALL_OLD',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      return claimIn(item);
    },
    transferApp: async (user, app, owner) => {
      const id = ownerIdKey(owner);
      const doc = S(JSON.stringify(owner));
      const owned = {
        owner_key: S(ownerKey(owner)),
        owner_doc: doc,
        owner_id: id === null ? null : S(id),
        app_pk: S(partitionOf(user, owner)),
        app_sk: S(sortOf(owner)),
      };
      await update(context, keys.app(user, app), updateOf(owned));
    },
    renameApp: (user, app, to) => renameApp(context, { user, app }, to),
    followBranch: async (user, app, branch) => {
      const { holds } = await update(context, keys.app(user, app), {
        UpdateExpression: `SET ${tracking(':branch')}`,
        ConditionExpression: 'attribute_exists(owner_key)',
        ExpressionAttributeValues: tracked({}, branch, clock.now()),
      });
      return holds;
    },
    // What claimed it stays: older deploys stay older.
    freeApp: async (user, app) => {
      await update(context, keys.app(user, app), updateOf(OWNED_BY_NONE));
    },
  };
}

/** What `isSameOwner` says, and what is kept then. */
const OWNED_BY_NAME = {
  isSame: 'owner_key = :key',
  set: 'owner_doc = if_not_exists(owner_doc, :doc), app_pk = if_not_exists(app_pk, :owner), app_sk = :sort',
};
const OWNED_BY_ID = {
  isSame: 'owner_id = :id OR (attribute_not_exists(owner_id) AND owner_key = :key)',
  set: 'owner_doc = :doc, owner_id = :id, app_pk = :owner, app_sk = :sort',
};

/**
 * Returns the items of the applications of an owner with such a sort key in the index. They are found by the id of the
 * repository, and those of owners without an id by its name.
 */
export async function ownedItems(table: Table, user: string, owner: AppOwner, sort: string) {
  const parent = parentOf(owner);
  const names = [ownerIdKey(parent) ?? [], ownerKey(parent)].flat();
  const found = await Promise.all(names.map((name) => appItems(table, ownerPartition(user, name), sort)));
  return readItems(table, found.flat());
}

/** Previews are in the partition of the application that they are made of. */
function partitionOf(user: string, owner: AppOwner): string {
  const parent = parentOf(owner);
  return ownerPartition(user, ownerIdKey(parent) ?? ownerKey(parent));
}

export const PREVIEW_SORT = 'P#';

function sortOf({ pullRequest }: AppOwner): string {
  return pullRequest ? `${PREVIEW_SORT}${pullRequest.number};` : 'A';
}

function valuesOf(user: string, owner: AppOwner): Item {
  const id = ownerIdKey(owner);
  return {
    ':key': S(ownerKey(owner)),
    ':doc': S(JSON.stringify(owner)),
    ':owner': S(partitionOf(user, owner)),
    ':sort': S(sortOf(owner)),
    ...(id !== null && { ':id': S(id) }),
  };
}

async function renameApp({ client, table }: Table, { user, app }: AppRef, to: string): Promise<void> {
  const item = await readItem({ client, table }, keys.app(user, app));
  if (!item?.owner_key) return;
  const refused = await transact(client, [
    {
      Update: {
        TableName: table,
        Key: keys.app(user, to),
        ...updateOf(Object.fromEntries(OWNED.map((name) => [name, item[name]]))),
        ConditionExpression: 'attribute_not_exists(owner_key)',
      },
    },
    {
      Update: {
        TableName: table,
        Key: keys.app(user, app),
        ...updateOf(OWNED_BY_NONE),
        ConditionExpression: 'owner_doc = :doc',
        ExpressionAttributeValues: { ':doc': item.owner_doc ?? S('') },
      },
    },
  ]);
  // A name that another one has taken since the call stays with it.
  if (refused && !conditionFailed(refused, 0)) throw new Error(`The owner of ${app} was changed by others.`);
}

/** Schedules the comparison of the application with the tip of its branch. Further deploys do not change when it is due. */
function tracking(branch: string): string {
  return `pushed_branch = ${branch}, due_pk = :partition, due_at = if_not_exists(due_at, :now)`;
}

function tracked({ pullRequest }: Pick<AppOwner, 'pullRequest'>, branch: string, now: number): Item {
  const partition = pullRequest ? PREVIEW_PARTITION : RECONCILE_PARTITION;
  return { ':branch': S(branch), ':partition': S(partition), ':now': N(now) };
}

const OWNED = [
  'owner_key',
  'owner_id',
  'owner_doc',
  'app_pk',
  'app_sk',
  'pushed_branch',
  'due_pk',
  'due_at',
  'compared_at',
];
const OWNED_BY_NONE = Object.fromEntries(OWNED.map((name) => [name, null]));

function claimIn(item: Item | undefined): OwnerClaim | null {
  const [owner, branch] = [ownerIn(item), stringIn(item, 'pushed_branch')];
  return owner && { ...owner, ...(branch !== undefined && { branch }) };
}

function appIn(item: Item): string {
  return (stringIn(item, 'sk') ?? '').slice(APP_PREFIX.length);
}

export function ownerIn(item: Item | undefined): AppOwner | null {
  const doc = stringIn(item, 'owner_doc');
  return doc === undefined ? null : (JSON.parse(doc) as AppOwner);
}

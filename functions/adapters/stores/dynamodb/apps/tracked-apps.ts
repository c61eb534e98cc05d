import { isSameOwner, parentOf } from '../../../../core/entry/app-owner.ts';
import type { TrackedApp, TrackedApps } from '../../../../core/ports/facts.ts';
import type { AppRef } from '../../../../core/ports/platform.ts';
import {
  APP_PREFIX,
  type Item,
  keys,
  N,
  numberIn,
  PREVIEW_PARTITION,
  RECONCILE_PARTITION,
  stringIn,
} from '../items.ts';
import { dueIn, readItem, readItems, type Table, update } from '../table.ts';
import { ownedItems, ownerIn, PREVIEW_SORT } from './owners.ts';

export function dynamoDbTrackedApps(table: Table): TrackedApps {
  return {
    async toCompare(now, limit) {
      const queries = [RECONCILE_PARTITION, PREVIEW_PARTITION].map((partition) => dueIn(table, partition, now, limit));
      const items = (await Promise.all(queries)).flat();
      items.sort((one, other) => (numberIn(one, 'due_at') ?? 0) - (numberIn(other, 'due_at') ?? 0));
      return items.slice(0, limit).map(refIn);
    },
    async tracked({ user, app }) {
      return trackedIn({ user, app }, await readItem(table, keys.app(user, app)));
    },
    async previews(user, parent) {
      const previews = previewsIn(await ownedItems(table, user, parent, PREVIEW_SORT));
      return previews.filter(({ owner }) => isSameOwner(parentOf(owner), parent));
    },
    async allPreviews(limit) {
      const found = await dueIn(table, PREVIEW_PARTITION, Number.MAX_SAFE_INTEGER, limit);
      return previewsIn(await readItems(table, found));
    },
    async compared({ user, app }, { at, dueAt }) {
      await update(table, keys.app(user, app), {
        UpdateExpression: `SET due_at = :due${at === undefined ? '' : ', compared_at = :at'}`,
        // False when the application was removed in the meantime.
        ConditionExpression: 'attribute_exists(due_pk)',
        ExpressionAttributeValues: { ':due': N(dueAt), ...(at !== undefined && { ':at': N(at) }) },
      });
    },
  };
}

function previewsIn(items: readonly (Item | undefined)[]): readonly TrackedApp[] {
  const tracked = items.flatMap((item) => (item && trackedIn(refIn(item), item)) ?? []);
  return tracked.filter(({ owner }) => owner.pullRequest !== undefined);
}

function trackedIn({ user, app }: AppRef, item: Item | undefined): TrackedApp | null {
  const owner = ownerIn(item);
  const branch = stringIn(item, 'pushed_branch');
  if (!owner || branch === undefined) return null;
  return { user, app, owner, branch, comparedAt: numberIn(item, 'compared_at') ?? 0 };
}

function refIn(item: Item): AppRef {
  return { user: stringIn(item, 'pk') ?? '', app: (stringIn(item, 'sk') ?? '').slice(APP_PREFIX.length) };
}

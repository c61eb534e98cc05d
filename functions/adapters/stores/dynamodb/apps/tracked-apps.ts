import { mapLimit } from '../../../../core/concurrency.ts';
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
import { dueIn, itemsIn, readItem, type Table, update } from '../table.ts';
import { ownerIn } from './owners.ts';

/** More at once would end after the time that one may take, in a function with a third of a processor. */
const READS_AT_ONCE = 20;

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
    async previews(user) {
      const items = await itemsIn(table, user, APP_PREFIX, { FilterExpression: 'attribute_exists(owner_doc)' });
      const tracked = items.flatMap((item) => trackedIn(refIn(item), item) ?? []);
      return tracked.filter(({ owner }) => owner.pullRequest !== undefined);
    },
    async allPreviews(limit) {
      const items = await dueIn(table, PREVIEW_PARTITION, Number.MAX_SAFE_INTEGER, limit);
      const read = async (app: AppRef) => trackedIn(app, await readItem(table, keys.app(app.user, app.app)));
      const previews = await mapLimit(items.map(refIn), READS_AT_ONCE, read);
      return previews.flatMap((preview) => (preview?.owner.pullRequest ? [preview] : []));
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

function trackedIn({ user, app }: AppRef, item: Item | undefined): TrackedApp | null {
  const owner = ownerIn(item);
  const branch = stringIn(item, 'pushed_branch');
  if (!owner || branch === undefined) return null;
  return { user, app, owner, branch, comparedAt: numberIn(item, 'compared_at') ?? 0 };
}

function refIn(item: Item): AppRef {
  return { user: stringIn(item, 'pk') ?? '', app: (stringIn(item, 'sk') ?? '').slice(APP_PREFIX.length) };
}

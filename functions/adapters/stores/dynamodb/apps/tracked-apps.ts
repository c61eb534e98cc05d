import {
  ConditionalCheckFailedException,
  paginateQuery,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
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
  S,
  stringIn,
} from '../items.ts';
import { readItem, type TableContext } from '../table.ts';
import { ownerIn } from './owners.ts';

/** Returns the applications whose branches are compared with their tips, from the index of what is due. */
export function dynamoDbTrackedApps(context: TableContext): TrackedApps {
  const { client, table } = context;
  return {
    async toCompare(now, limit) {
      const queries = [RECONCILE_PARTITION, PREVIEW_PARTITION].map((partition) =>
        dueIn(context, partition, now, limit),
      );
      const items = (await Promise.all(queries)).flat();
      items.sort((one, other) => (numberIn(one, 'due_at') ?? 0) - (numberIn(other, 'due_at') ?? 0));
      return items.slice(0, limit).map(refIn);
    },
    async tracked({ user, app }) {
      return trackedIn({ user, app }, await readItem(context, keys.app(user, app)));
    },
    async previews(user) {
      const query = {
        TableName: table,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        FilterExpression: 'attribute_exists(owner_doc)',
        ExpressionAttributeValues: { ':pk': S(user), ':prefix': S(APP_PREFIX) },
        ConsistentRead: true,
      };
      const found: TrackedApp[] = [];
      for await (const { Items = [] } of paginateQuery({ client }, query)) {
        found.push(...Items.flatMap((item) => trackedIn(refIn(item), item) ?? []));
      }
      return found.filter(({ owner }) => owner.pullRequest !== undefined);
    },
    async allPreviews(limit) {
      const items = await dueIn(context, PREVIEW_PARTITION, Number.MAX_SAFE_INTEGER, limit);
      const reads = items
        .map(refIn)
        .map(async (app) => trackedIn(app, await readItem(context, keys.app(app.user, app.app))));
      return (await Promise.all(reads)).flatMap((preview) => (preview?.owner.pullRequest ? [preview] : []));
    },
    compared: (app, times) => compared(context, app, times),
  };
}

/** Returns the applications of a partition of the index that are due, the longest overdue first. */
async function dueIn({ client, table }: TableContext, partition: string, now: number, limit: number): Promise<Item[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: table,
      IndexName: 'byDue',
      KeyConditionExpression: 'due_pk = :partition AND due_at <= :now',
      ExpressionAttributeValues: { ':partition': S(partition), ':now': N(now) },
      Limit: limit,
    }),
  );
  return Items;
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

async function compared(
  { client, table }: TableContext,
  { user, app }: AppRef,
  { at, dueAt }: { readonly at?: number; readonly dueAt: number },
): Promise<void> {
  try {
    await client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: keys.app(user, app),
        UpdateExpression: `SET due_at = :due${at === undefined ? '' : ', compared_at = :at'}`,
        ConditionExpression: 'attribute_exists(due_pk)',
        ExpressionAttributeValues: { ':due': N(dueAt), ...(at !== undefined && { ':at': N(at) }) },
      }),
    );
  } catch (error) {
    // The application was removed in the meantime.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

import { ConditionalCheckFailedException, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { TrackedApps } from '../../../../core/ports/facts.ts';
import type { AppRef } from '../../../../core/ports/platform.ts';
import { APP_PREFIX, type Item, keys, N, numberIn, RECONCILE_PARTITION, S, stringIn } from '../items.ts';
import { readItem, type TableContext } from '../table.ts';
import { ownerIn } from './owners.ts';

/** Returns the applications whose branches are compared with their tips, from the index of what is due. */
export function dynamoDbTrackedApps(context: TableContext): TrackedApps {
  const { client, table } = context;
  return {
    async toCompare(now, limit) {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: table,
          IndexName: 'byDue',
          KeyConditionExpression: 'due_pk = :partition AND due_at <= :now',
          ExpressionAttributeValues: { ':partition': S(RECONCILE_PARTITION), ':now': N(now) },
          Limit: limit,
        }),
      );
      return Items.map(refIn);
    },
    async tracked({ user, app }) {
      const item = await readItem(context, keys.app(user, app));
      const owner = ownerIn(item);
      const branch = stringIn(item, 'pushed_branch');
      if (!owner || branch === undefined) return null;
      return { user, app, owner, branch, comparedAt: numberIn(item, 'compared_at') ?? 0 };
    },
    compared: (app, times) => compared(context, app, times),
  };
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

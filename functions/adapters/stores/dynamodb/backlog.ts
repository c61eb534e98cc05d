import { ConditionalCheckFailedException, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Job } from '../../../core/pipeline/job.ts';
import type { Backlog } from '../../../core/ports/backlog.ts';
import { DUE_PARTITIONS, duePartition, type Item, keys, N, numberIn, S, stringIn } from './items.ts';
import type { TableContext } from './table.ts';

/** Returns the unfinished entries by the time at which they are due. */
export function dynamoDbBacklog(context: TableContext): Backlog {
  return {
    due: async (now, limit) => {
      const shards = Array.from({ length: DUE_PARTITIONS }, (_, shard) => dueIn(context, shard, now, limit));
      const found = (await Promise.all(shards)).flat();
      found.sort((one, other) => (numberIn(one, 'due_at') ?? 0) - (numberIn(other, 'due_at') ?? 0));
      return found.slice(0, limit).map(jobIn);
    },
    postpone: (job, dueAt, freesLease) => postpone(context, job, dueAt, freesLease),
  };
}

async function dueIn({ client, table }: TableContext, shard: number, now: number, limit: number): Promise<Item[]> {
  const { Items } = await client.send(
    new QueryCommand({
      TableName: table,
      IndexName: 'byDue',
      KeyConditionExpression: 'due_pk = :shard AND due_at <= :now',
      ExpressionAttributeValues: { ':shard': S(duePartition(shard)), ':now': N(now) },
      Limit: limit,
    }),
  );
  return Items ?? [];
}

function jobIn(item: Item): Job {
  return { user: stringIn(item, 'pk') ?? '', number: Number(stringIn(item, 'sk')?.slice(2)) };
}

async function postpone({ client, table }: TableContext, { user, number }: Job, dueAt: number, freesLease: boolean) {
  try {
    await client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: keys.entry(user, number),
        UpdateExpression: freesLease ? 'SET due_at = :due REMOVE lease' : 'SET due_at = :due',
        ConditionExpression: 'attribute_exists(due_pk)',
        ExpressionAttributeValues: { ':due': N(dueAt) },
      }),
    );
  } catch (error) {
    // The entry has ended in the meantime.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

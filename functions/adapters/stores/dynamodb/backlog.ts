import {
  ConditionalCheckFailedException,
  QueryCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { forEachLimit } from '../../../core/concurrency.ts';
import type { Job } from '../../../core/pipeline/job.ts';
import { MAX_RESTARTS } from '../../../core/pipeline/stage-failure.ts';
import type { Backlog } from '../../../core/ports/log.ts';
import { DUE_PARTITIONS, duePartition, type Item, keys, N, numberIn, S, stringIn } from './items.ts';
import { readItem, type TableContext } from './table.ts';

/** Entries that are read at a time. */
const MAX_READS = 20;

const HAS_WORKER = 'attribute_exists(due_pk) AND attribute_exists(lease)';

/** Returns the entries that the sweeper looks at, by the time at which they are due. */
export function dynamoDbBacklog(context: TableContext): Backlog {
  return {
    due: async (now, limit) => {
      const shards = Array.from({ length: DUE_PARTITIONS }, (_, shard) => dueIn(context, shard, now, limit));
      const shown = (await Promise.all(shards)).flat();
      shown.sort((one, other) => (numberIn(one, 'due_at') ?? 0) - (numberIn(other, 'due_at') ?? 0));
      const jobs = shown.slice(0, limit).map(jobIn);
      const dueAt = new Map<Job, number>();
      await forEachLimit(jobs, MAX_READS, async (job) => {
        const at = await dueOf(context, job, now);
        if (at !== null) dueAt.set(job, at);
      });
      return [...dueAt].sort(([, one], [, other]) => one - other).map(([job]) => job);
    },
    postpone: (job, dueAt, freesLease) => postpone(context, job, dueAt, freesLease),
    release: (job, dueAt) => release(context, job, dueAt),
    close: (entry) => close(context, entry),
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

/** Returns when an entry that the index shows is due; null when it is not by now, and then it is shown at that time. */
async function dueOf(context: TableContext, { user, number }: Job, now: number): Promise<number | null> {
  const due = numberIn(await readItem(context, keys.entry(user, number)), 'due');
  if (due === undefined || due <= now) return due ?? null;
  await updateIf(
    context,
    { user, number },
    {
      UpdateExpression: 'SET due_at = :due',
      ConditionExpression: 'attribute_exists(due_pk) AND due = :due',
      ExpressionAttributeValues: { ':due': N(due) },
    },
  );
  return null;
}

async function postpone(context: TableContext, job: Job, dueAt: number, freesLease: boolean): Promise<void> {
  if (freesLease) await free(context, job);
  await updateIf(context, job, {
    UpdateExpression: `SET due = :due, due_at = :due${freesLease ? ' REMOVE taken_at' : ''}`,
    // Otherwise it has ended in the meantime.
    ConditionExpression: 'attribute_exists(due_pk)',
    ExpressionAttributeValues: { ':due': N(dueAt) },
  });
}

async function release(context: TableContext, job: Job, dueAt: number): Promise<boolean> {
  const hadWorker = await free(context, job);
  await updateIf(context, job, {
    UpdateExpression: 'SET due = :due, due_at = :due REMOVE taken_at',
    ConditionExpression: hadWorker ? 'attribute_exists(due_pk)' : 'attribute_exists(due_pk) AND due < :due',
    ExpressionAttributeValues: { ':due': N(dueAt) },
  });
  return hadWorker;
}

/** Takes an unfinished entry from its worker. Returns whether one had it. */
async function free(context: TableContext, job: Job): Promise<boolean> {
  const restarts = 'restarts = if_not_exists(restarts, :none) + :one';
  const uncounted = await updateIf(context, job, {
    UpdateExpression: `SET ${restarts}, attempts = attempts - :one REMOVE lease, taken_at`,
    ConditionExpression: `${HAS_WORKER} AND (attribute_not_exists(restarts) OR restarts < :most)`,
    ExpressionAttributeValues: { ':one': N(1), ':none': N(0), ':most': N(MAX_RESTARTS) },
    ReturnValues: 'ALL_OLD',
  });
  if (uncounted) return true;
  const counted = await updateIf(context, job, {
    UpdateExpression: 'REMOVE lease, taken_at',
    ConditionExpression: HAS_WORKER,
    ReturnValues: 'ALL_OLD',
  });
  return counted !== undefined;
}

async function close(context: TableContext, entry: Job & { readonly seq: number }): Promise<void> {
  await updateIf(context, entry, {
    UpdateExpression: 'REMOVE due_pk, due_at, due',
    ConditionExpression: 'seq = :seq',
    ExpressionAttributeValues: { ':seq': N(entry.seq) },
  });
}

/** Updates the item of an entry, if the condition holds. Returns the requested attributes. */
async function updateIf(
  { client, table }: TableContext,
  { user, number }: Job,
  update: Omit<UpdateItemCommandInput, 'TableName' | 'Key'>,
): Promise<Item | undefined> {
  try {
    const request = new UpdateItemCommand({ TableName: table, Key: keys.entry(user, number), ...update });
    return (await client.send(request)).Attributes;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return undefined;
  }
}

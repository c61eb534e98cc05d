import { forEachLimit } from '../../../core/concurrency.ts';
import type { Job } from '../../../core/pipeline/job.ts';
import { MAX_RESTARTS } from '../../../core/pipeline/stage-failure.ts';
import type { Backlog } from '../../../core/ports/log.ts';
import { DUE_PARTITIONS, duePartition, type Item, keys, N, numberIn, stringIn } from './items.ts';
import { dueIn, readItem, type Table, type TableContext, update } from './table.ts';

/** Entries that are read at a time. */
const MAX_READS = 20;

const HAS_WORKER = 'attribute_exists(due_pk) AND attribute_exists(lease)';

export function dynamoDbBacklog(context: TableContext): Backlog {
  return {
    due: async (now, limit) => {
      const shards = Array.from({ length: DUE_PARTITIONS }, (_, shard) =>
        dueIn(context, duePartition(shard), now, limit),
      );
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

function jobIn(item: Item): Job {
  return { user: stringIn(item, 'pk') ?? '', number: Number(stringIn(item, 'sk')?.slice(2)) };
}

/** Returns when an entry that the index shows is due; null when it is not by now, and then it is shown at that time. */
async function dueOf(table: Table, { user, number }: Job, now: number): Promise<number | null> {
  const key = keys.entry(user, number);
  const due = numberIn(await readItem(table, key), 'due');
  if (due === undefined || due <= now) return due ?? null;
  await update(table, key, {
    UpdateExpression: 'SET due_at = :due',
    ConditionExpression: 'attribute_exists(due_pk) AND due = :due',
    ExpressionAttributeValues: { ':due': N(due) },
  });
  return null;
}

async function postpone(table: Table, job: Job, dueAt: number, freesLease: boolean): Promise<void> {
  if (freesLease) await free(table, job);
  await update(table, keys.entry(job.user, job.number), {
    UpdateExpression: `SET due = :due, due_at = :due${freesLease ? ' REMOVE taken_at' : ''}`,
    // False when the entry has ended in the meantime.
    ConditionExpression: 'attribute_exists(due_pk)',
    ExpressionAttributeValues: { ':due': N(dueAt) },
  });
}

async function release(table: Table, job: Job, dueAt: number): Promise<boolean> {
  const hadWorker = await free(table, job);
  await update(table, keys.entry(job.user, job.number), {
    UpdateExpression: 'SET due = :due, due_at = :due REMOVE taken_at',
    ConditionExpression: hadWorker ? 'attribute_exists(due_pk)' : 'attribute_exists(due_pk) AND due < :due',
    ExpressionAttributeValues: { ':due': N(dueAt) },
  });
  return hadWorker;
}

/** Takes an unfinished entry from its worker. Returns whether one had it. */
async function free(table: Table, { user, number }: Job): Promise<boolean> {
  const key = keys.entry(user, number);
  const restarts = 'restarts = if_not_exists(restarts, :none) + :one';
  const uncounted = await update(table, key, {
    UpdateExpression: `SET ${restarts}, attempts = attempts - :one REMOVE lease, taken_at`,
    ConditionExpression: `${HAS_WORKER} AND (attribute_not_exists(restarts) OR restarts < :most)`,
    ExpressionAttributeValues: { ':one': N(1), ':none': N(0), ':most': N(MAX_RESTARTS) },
  });
  if (uncounted.holds) return true;
  const counted = { UpdateExpression: 'REMOVE lease, taken_at', ConditionExpression: HAS_WORKER };
  return (await update(table, key, counted)).holds;
}

async function close(table: Table, { user, number, seq }: Job & { readonly seq: number }): Promise<void> {
  await update(table, keys.entry(user, number), {
    UpdateExpression: 'REMOVE due_pk, due_at, due',
    ConditionExpression: 'seq = :seq',
    ExpressionAttributeValues: { ':seq': N(seq) },
  });
}

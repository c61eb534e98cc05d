import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { readJob } from '../adapters/queues/sqs.ts';
import { within } from '../adapters/system/within.ts';
import { backOff } from '../core/concurrency.ts';
import { DeployError } from '../core/errors.ts';
import { FAILED_JOB_PAUSES, type Job } from '../core/pipeline/job.ts';
import { trace } from './trace.ts';

/** A message that must be received again: after these seconds, or null for the queue's visibility timeout. */
interface Unfinished {
  readonly visibleInSeconds: number | null;
}

export interface QueueTrigger<Message> {
  readonly read: (body: string) => Message;
  /** Returns null when the message is done. After an error it is received again, with growing pauses. */
  readonly work: (message: Message) => Promise<Unfinished | null>;
  readonly setVisibility: (receiptHandle: string, seconds: number) => Promise<void>;
}

/**
 * Returns the handler of a queue. A failed message does not fail its batch. In a FIFO queue the later messages of its
 * group are returned too, and those of other groups are processed
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting).
 */
export function queueTrigger<Message>(trigger: QueueTrigger<Message>) {
  return async (event: SQSEvent): Promise<SQSBatchResponse> => {
    const failed = await Promise.all(groups(event.Records).map((records) => inOrder(records, trigger)));
    return { batchItemFailures: failed.flat().map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

/** Returns the records by message group; without groups, each record is its own group. */
function groups(records: readonly SQSRecord[]): SQSRecord[][] {
  const byId = new Map<string, SQSRecord[]>();
  for (const record of records) {
    const group = record.attributes.MessageGroupId ?? record.messageId;
    byId.set(group, [...(byId.get(group) ?? []), record]);
  }
  return [...byId.values()];
}

async function inOrder<Message>(records: SQSRecord[], trigger: QueueTrigger<Message>): Promise<SQSRecord[]> {
  for (const [index, record] of records.entries()) {
    const unfinished = await workOn(record, trigger);
    if (unfinished) return records.slice(index);
  }
  return [];
}

async function workOn<Message>(record: SQSRecord, trigger: QueueTrigger<Message>): Promise<Unfinished | null> {
  try {
    const unfinished = await trigger.work(trigger.read(record.body));
    if (unfinished && unfinished.visibleInSeconds !== null) {
      await trigger.setVisibility(record.receiptHandle, unfinished.visibleInSeconds);
    }
    return unfinished;
  } catch (error) {
    trace('message failed', { messageId: record.messageId, error });
    await trigger.setVisibility(record.receiptHandle, pauseSeconds(record)).catch((failure: unknown) => {
      trace('message not postponed', { messageId: record.messageId, error: failure });
    });
    return { visibleInSeconds: null };
  }
}

/**
 * In flight, a message locks its group: the later pushes of its repository. So it is not left to the visibility
 * timeout.
 */
function pauseSeconds({ attributes }: SQSRecord): number {
  const receives = Math.max(1, Number(attributes.ApproximateReceiveCount ?? 1));
  return backOff(receives - 1, FAILED_JOB_PAUSES);
}

/** Less than the function's timeout of 30 seconds: a host that hangs must not repeat the statuses of a whole batch. */
const LIMIT_MS = 20_000;

/**
 * Returns the handler of the queue of commit statuses. A status that the host refuses permanently is dropped, and never
 * fails the deploy. A retryable failure is received again after the queue's visibility timeout.
 */
export function reportTrigger(report: (job: Job) => Promise<void>, limitMs = LIMIT_MS) {
  const late = () => new Error(`The entry was not reported within ${limitMs / 1000} seconds.`);
  return queueTrigger({
    read: readJob,
    setVisibility: async () => {},
    work: async (job) => {
      try {
        await within(limitMs, () => report(job), late);
        return null;
      } catch (error) {
        trace('entry not reported', { ...job, error });
        return error instanceof DeployError && !error.retry ? null : { visibleInSeconds: null };
      }
    },
  });
}

import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { trace } from './trace.ts';

/** A message that is not done with, and the seconds until it should be seen again; null leaves that to the queue. */
export interface Unfinished {
  readonly visibleInSeconds: number | null;
}

/** What reading a queue needs. */
export interface QueueTrigger<Message> {
  readonly read: (body: string) => Message;
  /** Null when the message is done with. What it throws puts the message back as it is. */
  readonly work: (message: Message) => Promise<Unfinished | null>;
  readonly setVisibility: (receiptHandle: string, seconds: number) => Promise<void>;
}

/**
 * The handler of a queue. One bad message never fails its batch; in a FIFO queue the messages of the same group behind
 * it wait, those of other groups go on
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting).
 */
export function queueTrigger<Message>(trigger: QueueTrigger<Message>) {
  return async (event: SQSEvent): Promise<SQSBatchResponse> => {
    const failed = await Promise.all(groups(event.Records).map((records) => inOrder(records, trigger)));
    return { batchItemFailures: failed.flat().map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

/** The records that must keep their order, together; without groups each stands alone. */
function groups(records: readonly SQSRecord[]): SQSRecord[][] {
  const found = new Map<string, SQSRecord[]>();
  for (const record of records) {
    const group = record.attributes.MessageGroupId ?? record.messageId;
    found.set(group, [...(found.get(group) ?? []), record]);
  }
  return [...found.values()];
}

async function inOrder<Message>(records: SQSRecord[], trigger: QueueTrigger<Message>): Promise<SQSRecord[]> {
  for (const [place, record] of records.entries()) {
    const unfinished = await workOn(record, trigger);
    if (unfinished) return records.slice(place);
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
    return { visibleInSeconds: null };
  }
}

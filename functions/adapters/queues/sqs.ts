import { createHash } from 'node:crypto';
import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { isObject } from '../../core/json.ts';
import type { Job } from '../../core/pipeline/job.ts';
import type { StageName } from '../../core/pipeline/pipeline.ts';
import type { JobQueue } from '../../core/ports/stages.ts';
import type { Ids } from '../../core/ports/system.ts';

/** The queues that a function may send to, by their URLs. */
interface SqsQueues {
  readonly client: SQSClient;
  readonly urls: Readonly<Partial<Record<StageName | 'report', string>>>;
  readonly ids: Ids;
}

/** Returns the queues between the stages, in SQS. */
export function sqsQueue({ client, urls, ids }: SqsQueues): JobQueue {
  return {
    send: async ({ user, number, stage, group }) => {
      await client.send(
        new SendMessageCommand({
          QueueUrl: urlOf(urls, stage),
          MessageBody: JSON.stringify({ user, number }),
          MessageGroupId: groupId(group),
          // A new id each time: SQS must not drop a job that the sweep repeats.
          MessageDeduplicationId: ids.uuid(),
        }),
      );
    },
    report: async ({ user, number }) => {
      const MessageBody = JSON.stringify({ user, number });
      // The reports of one user who causes thousands do not delay those of others: SQS's fair queues.
      const sent = { QueueUrl: urlOf(urls, 'report'), MessageBody, MessageGroupId: groupId(user) };
      await client.send(new SendMessageCommand(sent));
    },
  };
}

/** The maximum that SQS allows: 12 hours. */
const MAX_VISIBILITY_SECONDS = 43_200;

/** Returns a function that sets in how many seconds a received message becomes visible again. */
export function sqsVisibility(client: SQSClient, queueUrl: string) {
  return async (receiptHandle: string, seconds: number): Promise<void> => {
    const VisibilityTimeout = Math.min(Math.max(0, Math.ceil(seconds)), MAX_VISIBILITY_SECONDS);
    await client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout }),
    );
  };
}

/** Returns the job in a message's body. Throws when it is not a job. */
export function readJob(body: string): Job {
  const job: unknown = JSON.parse(body);
  if (isObject(job) && typeof job.user === 'string' && typeof job.number === 'number') {
    return { user: job.user, number: job.number };
  }
  throw new Error('The message is not a job.');
}

function urlOf(urls: SqsQueues['urls'], queue: StageName | 'report'): string {
  const url = urls[queue];
  if (!url) throw new Error(`This function has no URL of the queue "${queue}".`);
  return url;
}

/** Returns the message group's id. SQS allows 128 characters of a small set: other names are hashed. */
function groupId(group: string): string {
  if (/^[\w/.@-]{1,128}$/.test(group)) return group;
  return createHash('sha256').update(group).digest('hex');
}

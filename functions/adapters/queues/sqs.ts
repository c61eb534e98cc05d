import { createHash } from 'node:crypto';
import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Job } from '../../core/pipeline/job.ts';
import type { StageName } from '../../core/pipeline/pipeline.ts';
import type { Ids } from '../../core/ports/ids.ts';
import type { JobQueue } from '../../core/ports/job-queue.ts';

/** The queues in SQS. `urls` holds those that the function may send to. */
export interface SqsQueues {
  readonly client: SQSClient;
  readonly urls: Readonly<Partial<Record<StageName | 'report', string>>>;
  readonly ids: Ids;
}

/** The queues between the stages, in SQS. */
export function sqsQueue({ client, urls, ids }: SqsQueues): JobQueue {
  return {
    send: async ({ user, number, stage, group }) => {
      await client.send(
        new SendMessageCommand({
          QueueUrl: urlOf(urls, stage),
          MessageBody: JSON.stringify({ user, number }),
          MessageGroupId: groupId(group),
          // Sending again must never be taken for a duplicate: the sweeper does it on purpose.
          MessageDeduplicationId: ids.uuid(),
        }),
      );
    },
    report: async ({ user, number }) => {
      const MessageBody = JSON.stringify({ user, number });
      await client.send(new SendMessageCommand({ QueueUrl: urlOf(urls, 'report'), MessageBody }));
    },
  };
}

/** Changes when a received message is seen again; at most 12 hours (the service's own limit). */
export function sqsVisibility(client: SQSClient, queueUrl: string) {
  return async (receiptHandle: string, seconds: number): Promise<void> => {
    const VisibilityTimeout = Math.min(Math.max(0, Math.ceil(seconds)), 43_200);
    await client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout }),
    );
  };
}

/** The job in a message's body. Throws when it is not one. */
export function readJob(body: string): Job {
  const job: unknown = JSON.parse(body);
  if (typeof job === 'object' && job !== null && 'user' in job && 'number' in job) {
    const { user, number } = job;
    if (typeof user === 'string' && typeof number === 'number') return { user, number };
  }
  throw new Error('The message is not a job.');
}

function urlOf(urls: SqsQueues['urls'], queue: StageName | 'report'): string {
  const url = urls[queue];
  if (!url) throw new Error(`This function does not know the address of the queue "${queue}".`);
  return url;
}

/** A group has at most 128 characters of a narrow set. */
function groupId(group: string): string {
  if (/^[\w/.@-]{1,128}$/.test(group)) return group;
  return createHash('sha256').update(group).digest('hex');
}

import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { WorkQueue } from '../queues.ts';
import { type Access, allow } from './access.ts';

/** Sends to a queue. */
export function sendTo({ name, queue }: WorkQueue): Access {
  return {
    environment: { [queueVariable(name)]: queue.queueUrl },
    statements: [allow(['sqs:SendMessage'], queue.queueArn)],
  };
}

/** Consumes a queue: Lambda's poller receives and deletes with the function's role; the function postpones messages. */
export function consume({ name, queue }: WorkQueue): Access {
  const actions = ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes'];
  return {
    environment: { [queueVariable(name)]: queue.queueUrl },
    statements: [
      allow(
        actions.map((action) => `sqs:${action}`),
        queue.queueArn,
      ),
    ],
  };
}

/** Sends records of a stream that failed to the failure queue. */
export function reportFailures(failures: Queue): Access {
  return { statements: [allow(['sqs:SendMessage'], failures.queueArn)] };
}

function queueVariable(name: WorkQueue['name']): string {
  return `QUEUE_${name.toUpperCase()}`;
}

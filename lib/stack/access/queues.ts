import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { WorkQueue } from '../queues.ts';
import { type Access, all, allow } from './access.ts';

export function sendTo({ name, queue }: WorkQueue): Access {
  return {
    environment: { [queueVariable(name)]: queue.queueUrl },
    statements: [allow(['sqs:SendMessage'], queue.queueArn)],
  };
}

/** Receives the messages of a queue: Lambda's poller receives and deletes with the function's role. */
export function receive({ name, queue }: WorkQueue): Access {
  const actions = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((action) => `sqs:${action}`);
  return { environment: { [queueVariable(name)]: queue.queueUrl }, statements: [allow(actions, queue.queueArn)] };
}

/** Receives the messages of a queue, and postpones them. */
export function consume(queue: WorkQueue): Access {
  return all(receive(queue), { statements: [allow(['sqs:ChangeMessageVisibility'], queue.queue.queueArn)] });
}

/** Sends records of a stream that failed to the failure queue. */
export function reportFailures(failures: Queue): Access {
  return { statements: [allow(['sqs:SendMessage'], failures.queueArn)] };
}

function queueVariable(name: WorkQueue['name']): string {
  return `QUEUE_${name.toUpperCase()}`;
}

import { Duration } from 'aws-cdk-lib';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type StageName, stages } from '../../functions/core/pipeline/pipeline.ts';

/** A queue of the service: of a stage, or of the reports to repository hosts. */
export type QueueName = StageName | 'report';

/** What a queue's function needs of it. */
interface QueueSettings {
  readonly name: QueueName;
  /** Seconds one run of its function may take. */
  readonly timeoutSeconds: number;
  /** Receives of one message before it moves to the dead-letter queue. */
  readonly maxReceives: number;
  /** Age of the oldest message, in seconds, from which on something is wrong. */
  readonly overdueSeconds: number;
  /** Whether messages of one group keep their order. */
  readonly fifo: boolean;
}

/** A queue with its dead-letter queue. */
export interface WorkQueue extends QueueSettings {
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

/** Commit statuses may overtake each other: who reports reads the log and sends what is true by then. */
const report: QueueSettings = {
  name: 'report',
  timeoutSeconds: 30,
  maxReceives: 12,
  overdueSeconds: 600,
  fifo: false,
};

/**
 * AWS asks for six times the function's timeout, so that a message does not show up again while Lambda still retries it.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
const visibilityPerTimeout = 6;

/** A queue per stage of the pipeline, and one for reports; each with its dead-letter queue. */
export class Queues extends Construct {
  readonly all: readonly WorkQueue[];

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const settings = [...stages.map((stage) => ({ ...stage, fifo: true })), report];
    this.all = settings.map((queue) => this.#workQueue(queue));
  }

  /** The queue of a stage, or of reports. */
  named(name: QueueName): WorkQueue {
    const found = this.all.find((queue) => queue.name === name);
    if (!found) throw new Error(`There is no queue named ${name}.`);
    return found;
  }

  #workQueue(settings: QueueSettings): WorkQueue {
    // A FIFO queue can only have a FIFO dead-letter queue.
    const deadLetters = this.#queue(`${settings.name}-dead`, settings.fifo, { retentionPeriod: Duration.days(14) });
    const queue = this.#queue(settings.name, settings.fifo, {
      visibilityTimeout: Duration.seconds(visibilityPerTimeout * settings.timeoutSeconds),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: settings.maxReceives },
    });
    return { ...settings, queue, deadLetters };
  }

  #queue(id: string, fifo: boolean, props: QueueProps): Queue {
    return new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      ...(fifo && highThroughput),
      ...props,
    });
  }
}

/** Order and limits count per message group, a repository, so that one busy repository does not slow the others. */
const highThroughput: QueueProps = {
  fifo: true,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
};

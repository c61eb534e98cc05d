import { Duration } from 'aws-cdk-lib';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type StageName, stages } from '../../functions/core/pipeline/pipeline.ts';

/** A queue of the service: of a stage, or of commit statuses. */
export type QueueName = StageName | 'report';

/** The settings of one queue. */
interface QueueSettings {
  readonly name: QueueName;
  /** Timeout of its function. */
  readonly timeoutSeconds: number;
  /** How often a message is received before it moves to the dead-letter queue. */
  readonly maxReceives: number;
  /** Age of the oldest message above which an alarm is raised. */
  readonly overdueSeconds: number;
  /** Whether messages of one group keep their order. */
  readonly fifo: boolean;
}

/** A queue with its dead-letter queue. */
export interface WorkQueue extends QueueSettings {
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

/** Not FIFO: `report-status` reads the log and sends what is true by then, in whatever order messages arrive. */
const REPORT: QueueSettings = {
  name: 'report',
  timeoutSeconds: 30,
  maxReceives: 12,
  overdueSeconds: 600,
  fifo: false,
};

/**
 * How much longer than its function's timeout a received message stays hidden. AWS recommends six times the timeout, for
 * throttled invocations. But a hidden message locks its group, the repository, and a message that comes too early does
 * no harm: the entry's lease makes it wait.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
const VISIBILITY_MARGIN_SECONDS = 45;

/** A queue per stage of the pipeline and one for commit statuses, each with its dead-letter queue. */
export class Queues extends Construct {
  readonly all: readonly WorkQueue[];

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const settings = [...stages.map((stage) => ({ ...stage, fifo: true })), REPORT];
    this.all = settings.map((queue) => this.#workQueue(queue));
  }

  /** Returns the queue of a stage, or of commit statuses. */
  named(name: QueueName): WorkQueue {
    const found = this.all.find((queue) => queue.name === name);
    if (!found) throw new Error(`There is no queue named ${name}.`);
    return found;
  }

  #workQueue(settings: QueueSettings): WorkQueue {
    // A FIFO queue can only have a FIFO dead-letter queue.
    const deadLetters = this.#queue(`${settings.name}-dead`, settings.fifo, { retentionPeriod: Duration.days(14) });
    const queue = this.#queue(settings.name, settings.fifo, {
      visibilityTimeout: Duration.seconds(settings.timeoutSeconds + VISIBILITY_MARGIN_SECONDS),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: settings.maxReceives },
    });
    return { ...settings, queue, deadLetters };
  }

  #queue(id: string, fifo: boolean, props: QueueProps): Queue {
    return new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      ...(fifo && HIGH_THROUGHPUT),
      ...props,
    });
  }
}

/** Order and limits apply per message group, a repository, so that a busy repository does not slow the others. */
const HIGH_THROUGHPUT: QueueProps = {
  fifo: true,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
};

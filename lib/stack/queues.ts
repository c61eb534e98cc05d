import { Duration } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  CfnQueuePolicy,
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type QueueProps,
} from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type StageName, stages } from '../../functions/core/pipeline/pipeline.ts';

/** A queue of the service: of a stage, or of commit statuses. */
type QueueName = StageName | 'report';

interface QueueSettings {
  readonly name: QueueName;
  readonly timeoutSeconds: number;
  /** The number of receives after which a message moves to the dead-letter queue. */
  readonly maxReceives: number;
  /** Whether messages of one group keep their order. */
  readonly fifo: boolean;
}

export interface WorkQueue extends QueueSettings {
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

/** Not FIFO: `report-status` reads the log and sends what is true by then, in whatever order messages arrive. */
const REPORT: QueueSettings = {
  name: 'report',
  timeoutSeconds: 30,
  maxReceives: 12,
  fifo: false,
};

/**
 * How much longer than its function's timeout a received message stays hidden. AWS recommends six times the timeout,
 * for throttled invocations. But a hidden message locks its group, a repository or an application, and one that comes too
 * early does no harm: the entry's lease makes it wait.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
const VISIBILITY_MARGIN_SECONDS = 45;

/**
 * Longer than the sweep waits for anything, which is a day. And shorter than dead letters are kept: in a queue that is
 * not FIFO, a dead letter keeps its age.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
const WORK_RETENTION_DAYS = 4;
/** The longest that SQS keeps a message: time to find the cause and to redrive. */
const DEAD_RETENTION_DAYS = 14;

/**
 * A queue per stage of the pipeline and one for commit statuses. The stages share a dead-letter queue: messages can be
 * moved back from it to the queue of each.
 */
export class Queues extends Construct {
  readonly all: readonly WorkQueue[];
  /** By what they are for. */
  readonly deadLetters: ReadonlyMap<string, Queue>;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    // A FIFO queue can only have a FIFO dead-letter queue.
    const [ofStages, ofReports] = [this.#deadLetters('stages-dead', true), this.#deadLetters('report-dead', false)];
    this.deadLetters = new Map([
      ['stages', ofStages],
      ['report', ofReports],
    ]);
    const settings = [...stages.map((stage) => ({ ...stage, fifo: true })), REPORT];
    this.all = settings.map((queue) => this.#workQueue(queue, queue.fifo ? ofStages : ofReports));
    refusePlainHttp(this, [ofStages, ofReports, ...this.all.map(({ queue }) => queue)]);
  }

  /** Returns the queue of a stage, or of commit statuses. */
  named(name: QueueName): WorkQueue {
    const match = this.all.find((queue) => queue.name === name);
    if (!match) throw new Error(`There is no queue named ${name}.`);
    return match;
  }

  #deadLetters(id: string, fifo: boolean): Queue {
    return this.#queue(id, fifo, { retentionPeriod: Duration.days(DEAD_RETENTION_DAYS) });
  }

  #workQueue(settings: QueueSettings, deadLetters: Queue): WorkQueue {
    const queue = this.#queue(settings.name, settings.fifo, {
      visibilityTimeout: Duration.seconds(settings.timeoutSeconds + VISIBILITY_MARGIN_SECONDS),
      retentionPeriod: Duration.days(WORK_RETENTION_DAYS),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: settings.maxReceives },
    });
    return { ...settings, queue, deadLetters };
  }

  #queue(id: string, fifo: boolean, props: QueueProps): Queue {
    return new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      ...(fifo && HIGH_THROUGHPUT),
      ...props,
    });
  }
}

/** Order and limits apply per message group, so that a busy repository or application does not slow the others. */
const HIGH_THROUGHPUT: QueueProps = {
  fifo: true,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
};

/**
 * One policy for all queues, where CDK's `enforceSSL` makes one for each: a template may have 500 resources. Its
 * resource is `*`, as in AWS's own example, and means each queue that has the policy.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/quickref-iam.html#scenario-sqs-policy
 */
function refusePlainHttp(scope: Construct, queues: readonly Queue[]): void {
  const statement = new PolicyStatement({
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: ['sqs:*'],
    resources: ['*'],
    conditions: { Bool: { 'aws:SecureTransport': 'false' } },
  });
  new CfnQueuePolicy(scope, 'OnlyTls', {
    queues: queues.map(({ queueUrl }) => queueUrl),
    policyDocument: new PolicyDocument({ statements: [statement] }),
  });
}

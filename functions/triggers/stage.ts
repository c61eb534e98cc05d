import { readJob } from '../adapters/queues/sqs.ts';
import { type Overruling, unlessOverruled } from '../core/pipeline/overruled.ts';
import { workLimitMs } from '../core/pipeline/pipeline.ts';
import { runStage, type StageContext } from '../core/pipeline/stage.ts';
import { tookTooLong } from '../core/pipeline/stage-failure.ts';
import { within } from './deadline.ts';
import { type QueueTrigger, queueTrigger } from './queue.ts';
import { trace } from './trace.ts';

/** What the handler of a stage needs in addition to its work. */
export interface StageConnection extends Omit<StageContext, 'work' | 'trace'> {
  readonly setVisibility: QueueTrigger<unknown>['setVisibility'];
  /**
   * Given at the stages that an operation on the application can overrule: from the one on that changes the platform.
   */
  readonly appFacts?: Overruling;
  /** How long one run may work; default: what is left of the function's timeout after the outcome is written. */
  readonly limitMs?: number;
}

/**
 * Returns the handler of a stage, which passes each message of its queue to `runStage`. A run that takes too long fails
 * and is tried again, before Lambda ends it without a trace.
 */
export function stageTrigger(work: StageContext['work'], connection: StageConnection) {
  const { setVisibility, appFacts, limitMs = workLimitMs(connection.stage), ...rest } = connection;
  const deadline = { limitMs, late: () => tookTooLong(connection.stage, limitMs) };
  const limited: StageContext['work'] = (entry) => within(deadline, (signal) => work(entry, signal));
  const context = { ...rest, work: appFacts ? unlessOverruled(limited, appFacts) : limited, trace };
  return queueTrigger({
    read: readJob,
    setVisibility,
    work: async (job) => {
      const result = await runStage(job, context);
      return result.done ? null : { visibleInSeconds: result.visibleInSeconds };
    },
  });
}

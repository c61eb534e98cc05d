import { readJob } from '../adapters/queues/sqs.ts';
import { type Overruling, unlessOverruled } from '../core/pipeline/overruled.ts';
import { workLimitMs } from '../core/pipeline/pipeline.ts';
import { runStage, type StageContext } from '../core/pipeline/stage.ts';
import { tookTooLong } from '../core/pipeline/stage-failure.ts';
import { within } from './deadline.ts';
import { type QueueTrigger, queueTrigger } from './queue.ts';
import { trace } from './trace.ts';

/** Dependencies of the handler of a stage, in addition to its work. */
export interface StageConnection extends Omit<StageContext, 'work' | 'trace'> {
  readonly setVisibility: QueueTrigger<unknown>['setVisibility'];
  /**
   * Given at the stages that an operation on the application can overrule: from the one on that changes the platform.
   */
  readonly appFacts?: Overruling;
  /** Time limit of one run; default: the function's timeout less the time for writing the outcome. */
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

import { readJob } from '../adapters/queues/sqs.ts';
import { type Overruling, unlessOverruled } from '../core/pipeline/overruled.ts';
import { runStage, type StageContext } from '../core/pipeline/stage.ts';
import { type QueueTrigger, queueTrigger } from './queue.ts';
import { trace } from './trace.ts';

/** What the handler of a stage needs in addition to its work. */
export interface StageConnection extends Omit<StageContext, 'work' | 'trace'> {
  readonly setVisibility: QueueTrigger<unknown>['setVisibility'];
  /**
   * Given at the stages that an operation on the application can overrule: from the one on that changes the platform.
   */
  readonly appFacts?: Overruling;
}

/** Returns the handler of a stage, which passes each message of its queue to `runStage`. */
export function stageTrigger(work: StageContext['work'], { setVisibility, appFacts, ...connection }: StageConnection) {
  const context = { ...connection, work: appFacts ? unlessOverruled(work, appFacts) : work, trace };
  return queueTrigger({
    read: readJob,
    setVisibility,
    work: async (job) => {
      const result = await runStage(job, context);
      return result.done ? null : { visibleInSeconds: result.visibleInSeconds };
    },
  });
}

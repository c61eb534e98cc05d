import { readJob } from '../adapters/queues/sqs.ts';
import { runStage, type StageContext } from '../core/pipeline/stage.ts';
import { type QueueTrigger, queueTrigger } from './queue.ts';
import { trace } from './trace.ts';

/** What the handler of a stage needs in addition to its work. */
export interface StageConnection extends Omit<StageContext, 'work' | 'trace'> {
  readonly setVisibility: QueueTrigger<unknown>['setVisibility'];
}

/** Returns the handler of a stage, which passes each message of its queue to `runStage`. */
export function stageTrigger(work: StageContext['work'], { setVisibility, ...connection }: StageConnection) {
  const context = { ...connection, work, trace };
  return queueTrigger({
    read: readJob,
    setVisibility,
    work: async (job) => {
      const result = await runStage(job, context);
      return result.done ? null : { visibleInSeconds: result.visibleInSeconds };
    },
  });
}

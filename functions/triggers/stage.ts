import { readJob } from '../adapters/queues/sqs.ts';
import { runStage, type StageContext } from '../core/pipeline/stage.ts';
import { type QueueTrigger, queueTrigger } from './queue.ts';
import { trace } from './trace.ts';

/** What the handler of a stage needs beside its work. */
export interface StageConnection extends Omit<StageContext, 'work' | 'trace'> {
  readonly setVisibility: QueueTrigger<unknown>['setVisibility'];
}

/** The handler of a stage: its queue's messages, run through the pipeline's one way of running a stage. */
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

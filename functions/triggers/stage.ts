import { readJob } from '../adapters/queues/sqs.ts';
import { limitedWork, type WorkLimits } from '../adapters/system/limited-work.ts';
import { runStage } from '../core/pipeline/stage.ts';
import type { StageContext } from '../core/pipeline/stage-context.ts';
import { type QueueTrigger, queueTrigger } from './queue.ts';
import { trace } from './trace.ts';

export interface StageConnection extends Omit<StageContext, 'work' | 'trace'>, Omit<WorkLimits, 'log'> {
  readonly setVisibility: QueueTrigger<unknown>['setVisibility'];
}

/**
 * Returns the handler of a stage, which passes each message of its queue to `runStage`. A run that takes too long fails
 * and is tried again, before Lambda ends it without a trace.
 */
export function stageTrigger(work: StageContext['work'], connection: StageConnection) {
  const { setVisibility, appFacts, limitMs, ...rest } = connection;
  const context = { ...rest, work: limitedWork(work, connection), trace };
  return queueTrigger({
    read: readJob,
    setVisibility,
    work: async (job) => {
      const result = await runStage(job, context);
      return result.done ? null : { visibleInSeconds: result.visibleInSeconds };
    },
  });
}

import { readJob } from '../adapters/queues/sqs.ts';
import { DeployError } from '../core/errors.ts';
import type { Job } from '../core/pipeline/job.ts';
import { queueTrigger } from './queue.ts';
import { trace } from './trace.ts';

/**
 * The handler of the queue of commit statuses. A status that the host refuses for good is given up: it is never an error
 * of the deploy. What may work later comes again with the queue's visibility timeout.
 */
export function reportTrigger(report: (job: Job) => Promise<void>) {
  return queueTrigger({
    read: readJob,
    setVisibility: async () => {},
    work: async (job) => {
      try {
        await report(job);
        return null;
      } catch (error) {
        trace('commit status not set', { ...job, error });
        return error instanceof DeployError && !error.retry ? null : { visibleInSeconds: null };
      }
    },
  });
}

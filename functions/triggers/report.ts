import { readJob } from '../adapters/queues/sqs.ts';
import { DeployError } from '../core/errors.ts';
import type { Job } from '../core/pipeline/job.ts';
import { queueTrigger } from './queue.ts';
import { trace } from './trace.ts';

/**
 * Returns the handler of the queue of commit statuses. A status that the host refuses permanently is dropped, and never
 * fails the deploy. A retryable failure is received again after the queue's visibility timeout.
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

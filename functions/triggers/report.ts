import { readJob } from '../adapters/queues/sqs.ts';
import { DeployError } from '../core/errors.ts';
import type { Job } from '../core/pipeline/job.ts';
import { within } from './limited-work.ts';
import { queueTrigger } from './queue.ts';
import { trace } from './trace.ts';

/** Less than the function's timeout of 30 seconds: a host that hangs must not repeat the statuses of a whole batch. */
const LIMIT_MS = 20_000;

/**
 * Returns the handler of the queue of commit statuses. A status that the host refuses permanently is dropped, and never
 * fails the deploy. A retryable failure is received again after the queue's visibility timeout.
 */
export function reportTrigger(report: (job: Job) => Promise<void>, limitMs = LIMIT_MS) {
  const late = () => new Error(`The entry was not reported within ${limitMs / 1000} seconds.`);
  return queueTrigger({
    read: readJob,
    setVisibility: async () => {},
    work: async (job) => {
      try {
        await within({ limitMs, late }, () => report(job));
        return null;
      } catch (error) {
        trace('entry not reported', { ...job, error });
        return error instanceof DeployError && !error.retry ? null : { visibleInSeconds: null };
      }
    },
  });
}

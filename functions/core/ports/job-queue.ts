import type { Job, StageJob } from '../pipeline/job.ts';

/** The queues between the stages. A message may arrive twice, and late; never in the wrong order within its group. */
export interface JobQueue {
  /** Queues a job for its stage. */
  send(job: StageJob): Promise<void>;
  /** Requests an update of the commit status of an entry. */
  report(job: Job): Promise<void>;
}

import type { Job, StageJob } from '../pipeline/job.ts';

/** The queues between the stages. A message may arrive twice, and late; never in the wrong order within its group. */
export interface JobQueue {
  /** Queues a job for its stage. */
  send(job: StageJob): Promise<void>;
  /** Asks for the commit status of an entry to be brought up to date. */
  report(job: Job): Promise<void>;
}

import type { Job } from '../pipeline/job.ts';

/** The unfinished entries, by the time at which the sweeper looks at them. */
export interface Backlog {
  /** Returns up to `limit` unfinished entries that are due by `now`, the longest overdue first. */
  due(now: number, limit: number): Promise<readonly Job[]>;
  /** Makes an entry due at another time. `freesLease`: no worker can have it any more, whatever its lease says. */
  postpone(job: Job, dueAt: number, freesLease: boolean): Promise<void>;
}

import type { Job } from '../pipeline/job.ts';

/** Entries that have been waiting for longer than they should. */
export interface Backlog {
  /** Up to `limit` unfinished entries whose time has come by `now`, the longest overdue first. */
  due(now: number, limit: number): Promise<readonly Job[]>;
  /** Has the next look at `due`. `freesLease`: nobody can be working on the entry, whatever its lease says. */
  postpone(job: Job, due: number, freesLease: boolean): Promise<void>;
}

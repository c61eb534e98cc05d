import type { Job } from '../pipeline/job.ts';

/**
 * What the sweeper looks at, by the time at which it does: the entries that are unfinished, and those that have ended
 * while something is left to do, such as their commit status.
 */
export interface Backlog {
  /** Returns up to `limit` entries that are due by `now`, the longest overdue first. */
  due(now: number, limit: number): Promise<readonly Job[]>;
  /**
   * Makes an entry due at another time. `freesLease`: no worker can have it any more, whatever its lease says; it is
   * taken from it as by `release`.
   */
  postpone(job: Job, dueAt: number, freesLease: boolean): Promise<void>;
  /**
   * Takes an entry from its worker, which is gone: its stage begins anew, so that the time without the service does not
   * count. Nor does the attempt, up to `MAX_RESTARTS` of a stage. It is then not due before `dueAt`. Returns whether a worker had it.
   */
  release(job: Job, dueAt: number): Promise<boolean>;
  /** Takes an entry out that has ended, because nothing is left to do; not if it has changed since that `seq`. */
  close(entry: Job & { readonly seq: number }): Promise<void>;
}

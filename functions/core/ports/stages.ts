import type { Job, StageJob } from '../pipeline/job.ts';

/** The queues between the stages. A message may arrive twice, and late; never in the wrong order within its group. */
export interface JobQueue {
  send(job: StageJob): Promise<void>;
  /** Requests an update of the commit status of an entry. */
  report(job: Job): Promise<void>;
}

/** Where tarballs are staged between the stages. */
export interface TarballStore {
  /**
   * Stores a stream under a key in constant memory. When the stream throws, nothing is stored and the error is
   * rethrown. A second call replaces the first.
   */
  put(key: string, body: AsyncIterable<Uint8Array>): Promise<void>;
  /** Returns the stored bytes and their number; null when the key does not exist (any more). */
  get(key: string): Promise<{ readonly body: AsyncIterable<Uint8Array>; readonly bytes: number } | null>;
  /** Removes a key, whether it exists or not. */
  remove(key: string): Promise<void>;
}

import type { JobQueue } from '../../core/ports/job-queue.ts';

/**
 * The queues, loaded when the first job is sent: most calls of a busy webhook (pings, other branches, duplicates) send none,
 * and the client takes as long to load as the rest of what the function needs besides the database.
 */
export function connectQueueLater(): JobQueue {
  let queue: Promise<JobQueue> | undefined;
  const loaded = () => {
    queue ??= import('./queues.ts').then(({ connectQueue }) => connectQueue());
    return queue;
  };
  return {
    send: async (job) => (await loaded()).send(job),
    report: async (job) => (await loaded()).report(job),
  };
}

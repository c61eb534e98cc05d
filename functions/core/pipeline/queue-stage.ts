import type { Entry } from '../entry/entry.ts';
import type { JobQueue } from '../ports/stages.ts';
import type { Trace } from '../ports/system.ts';
import { jobOf } from './job.ts';

/**
 * Queues the current stage of an entry that has just been stored. Never throws: the entry is safe by then, and the
 * sweeper queues the stage when its message was not sent.
 */
export async function queueStage(
  entry: Entry,
  { queue, trace }: { readonly queue: Pick<JobQueue, 'send'>; readonly trace: Trace },
): Promise<void> {
  try {
    await queue.send(jobOf(entry));
  } catch (error) {
    trace('stage not queued', { uuid: entry.uuid, user: entry.user, number: entry.number, stage: entry.stage, error });
  }
}

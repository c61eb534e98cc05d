import { isFinal } from '../core/entry/entry.ts';
import { deployOfSnapshot } from '../core/entry/snapshot.ts';
import { jobOf } from '../core/pipeline/job.ts';
import type { DeployLog } from '../core/ports/log.ts';
import type { SnapshotRef } from '../core/ports/platform.ts';
import type { JobQueue } from '../core/ports/stages.ts';

interface ResumePorts {
  readonly log: Pick<DeployLog, 'read'>;
  readonly queue: Pick<JobQueue, 'send'>;
}

/**
 * Queues the stage `extract` of the deploy whose build has ended. Returns false when that deploy is not waiting for a
 * build: the event came twice, or late. A second message has no effect, because it finds the stage claimed or done.
 */
export async function resume({ user, snapshot }: SnapshotRef, { log, queue }: ResumePorts): Promise<boolean> {
  const number = deployOfSnapshot(snapshot);
  const entry = number === null ? null : await log.read(user, number);
  if (!entry || entry.snapshot !== snapshot || entry.stage !== 'extract' || isFinal(entry.status)) return false;
  await queue.send(jobOf(entry));
  return true;
}

import { type Entry, isFinal } from '../entry/entry.ts';
import { isDeploy } from '../entry/kinds.ts';
import { MANUAL } from '../entry/providers.ts';
import { ending, type Transition } from '../entry/transition.ts';
import type { DeployLog } from '../ports/log.ts';
import type { JobQueue } from '../ports/stages.ts';
import type { Clock } from '../ports/system.ts';
import type { Job } from './job.ts';

export interface EndPorts {
  readonly log: Pick<DeployLog, 'move'>;
  readonly queue: Pick<JobQueue, 'report'>;
  readonly clock: Clock;
}

/** Why a deploy ends although no stage has ended it. */
interface End {
  readonly status: 'cancelled' | 'superseded';
  readonly reason: string;
}

/**
 * Ends a queued, held or running deploy, unless its application is being started. A stage that runs meanwhile has no
 * effect any more, and `report-status` ends the build. Returns the entry afterwards, and whether it was ended by this
 * call; null when there is no such entry.
 */
export async function endDeploy(
  { user, number }: Job,
  end: End,
  { log, queue, clock }: EndPorts,
): Promise<{ readonly entry: Entry; readonly isEnded: boolean } | null> {
  const now = clock.now();
  let isEnded = false;
  const entry = await log.move(user, number, (current) => {
    isEnded = !isFinal(current.status) && !isStarting(current);
    return isEnded ? endOf(current, end, now) : null;
  });
  if (entry && isEnded) await queue.report(entry);
  return entry && { entry, isEnded };
}

/**
 * Whether a worker has begun to start the application of an entry. From then on the traffic may have moved, which only
 * the platform knows.
 */
function isStarting({ stage, stages }: Entry): boolean {
  return stage === 'start' && stages.some(({ name, status }) => name === 'start' && status === 'running');
}

function endOf(entry: Entry, { status, reason }: End, at: number): Transition {
  const stages = entry.stages.map((stage) =>
    stage.status === 'running' ? { ...stage, status: 'failed' as const, finishedAt: at, detail: reason } : stage,
  );
  return {
    changes: { ...ending(status, reason, at), stages },
    // A build that passes later must find what became of the commit, or it would deploy it after all.
    ...(entry.stage === 'check' &&
      isDeploy(entry) &&
      entry.provider !== MANUAL && { commitState: { held: null, deploying: entry.number } }),
  };
}

import type { Entry } from '../entry/entry.ts';
import type { Transition } from '../entry/transition.ts';
import type { DeployLog } from '../ports/log.ts';
import type { JobQueue } from '../ports/stages.ts';
import type { Clock, Ids, Trace } from '../ports/system.ts';
import type { StageName } from './pipeline.ts';
import type { StageWork } from './stage-work.ts';

export interface StageContext {
  readonly stage: StageName;
  readonly work: StageWork;
  readonly log: DeployLog;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Base of the back-off, in seconds. */
  readonly retryBaseSeconds: number;
  readonly trace: Trace;
}

/** Whether the message is done, or in how many seconds it must be received again. */
export type RunResult = { readonly done: true } | { readonly done: false; readonly visibleInSeconds: number };

/**
 * Writes a transition of an entry that is still at this stage. Returns null when it is not, and `outdated` when a check
 * result that arrived in the meantime forbids it. The entry is still queued when all workers so far died before
 * `announce`.
 */
export async function move(
  entry: Entry,
  { log }: StageContext,
  decide: (current: Entry) => Transition,
): Promise<Entry | 'outdated' | null> {
  let isHere = false;
  const moved = await log.move(entry.user, entry.number, (current) => {
    isHere = current.stage === entry.stage && (current.status === 'running' || current.status === 'queued');
    return isHere ? decide(current) : null;
  });
  return isHere ? (moved ?? 'outdated') : null;
}

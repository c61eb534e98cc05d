import { within } from '../../functions/adapters/system/within.ts';
import { DeployError } from '../../functions/core/errors.ts';
import { type Job, keyOf } from '../../functions/core/pipeline/job.ts';
import { Places } from '../../functions/core/places.ts';
import type { JobQueue } from '../../functions/core/ports/stages.ts';
import type { Trace } from '../../functions/core/ports/system.ts';

const AT_ONCE = 8;
/** A host that hangs must not hold up the statuses of others. */
const LIMIT_MS = 20_000;
/** Pauses before a status that could not be set is tried again; then it is left to the sweep. */
const PAUSES_MS = [5_000, 30_000, 120_000];

/** Dependencies of the queue of commit statuses. */
interface ReportsParts {
  readonly report: (job: Job) => Promise<void>;
  readonly trace: Trace;
}

interface Waiting {
  readonly job: Job;
  tries: number;
}

/**
 * Returns the queue of commit statuses, each of which is that of its entry when it is set. One entry is reported once at
 * a time. What is lost with the process is found by the sweep.
 */
export function reports({ report, trace }: ReportsParts): Pick<JobQueue, 'report'> & { stop(): void } {
  /** By entry. A change of an entry that is being reported waits for the end of that report. */
  const waiting = new Map<string, Waiting>();
  const running = new Set<string>();
  const places = new Places<Waiting>(AT_ONCE);
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;

  const begin = () => {
    if (stopped) return;
    for (let next = places.take(); next !== null; next = places.take()) start(next.work);
  };
  const start = ({ job, tries }: Waiting) => {
    const key = keyOf(job);
    waiting.delete(key);
    running.add(key);
    void attempt(job, tries).finally(() => {
      running.delete(key);
      places.free(job.user);
      const again = waiting.get(key);
      if (again) places.add(job.user, again);
      begin();
    });
  };
  const attempt = async (job: Job, tries: number) => {
    const late = () => new Error(`The commit status was not set within ${LIMIT_MS / 1000} seconds.`);
    try {
      await within(LIMIT_MS, () => report(job), late);
    } catch (error) {
      if (stopped) return;
      trace('commit status not set', { ...job, error });
      const pause = PAUSES_MS[tries];
      if (pause === undefined || (error instanceof DeployError && !error.retry)) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        add(job, tries + 1);
      }, pause);
      timers.add(timer);
    }
  };
  const add = ({ user, number }: Job, tries: number) => {
    const job = { user, number };
    const key = keyOf(job);
    const before = waiting.get(key);
    if (before) {
      before.tries = tries;
      return;
    }
    const added = { job, tries };
    waiting.set(key, added);
    if (running.has(key)) return;
    places.add(user, added);
    begin();
  };
  return {
    report: async (job) => add(job, 0),
    stop: () => {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

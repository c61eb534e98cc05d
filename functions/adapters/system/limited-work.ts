import { type Overruling, unlessOverruled } from '../../core/pipeline/overruled.ts';
import { type StageName, workLimitMs } from '../../core/pipeline/pipeline.ts';
import { tookTooLong } from '../../core/pipeline/stage-failure.ts';
import type { StageWork } from '../../core/pipeline/stage-work.ts';

interface Deadline {
  readonly limitMs: number;
  readonly late: () => Error;
}

/**
 * Returns the result of work, or throws when it takes too long; then the signal is aborted. Lambda would end the
 * function without a word, and its messages would be hidden until the visibility timeout.
 */
export async function within<T>({ limitMs, late }: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = late();
      reject(error);
      stop.abort(error);
    }, limitMs);
  });
  try {
    return await Promise.race([work(stop.signal), ended]);
  } finally {
    clearTimeout(timer);
  }
}

export interface WorkLimits {
  readonly stage: StageName;
  /**
   * Given at the stages that an operation on the application can overrule: from the one on that changes the platform.
   */
  readonly appFacts?: Overruling;
  /** Time limit of one run; default: the function's timeout less the time for writing the outcome. */
  readonly limitMs?: number;
}

/**
 * Returns the work of a stage with its time limit, after which a run fails and is tried again, and for entries only that
 * no operation has overruled.
 */
export function limitedWork(work: StageWork, { stage, appFacts, limitMs = workLimitMs(stage) }: WorkLimits): StageWork {
  const deadline = { limitMs, late: () => tookTooLong(stage, limitMs) };
  const limited: StageWork = (entry) => within(deadline, (signal) => work(entry, signal));
  return appFacts ? unlessOverruled(limited, appFacts) : limited;
}

import { type OrderPorts, unlessOverruled } from '../../core/pipeline/overruled.ts';
import { type StageName, workLimitMs } from '../../core/pipeline/pipeline.ts';
import { tookTooLong } from '../../core/pipeline/stage-failure.ts';
import type { StageWork } from '../../core/pipeline/stage-work.ts';
import { within } from './within.ts';

export interface WorkLimits extends Pick<OrderPorts, 'log'> {
  readonly stage: StageName;
  /**
   * Given at the stages that an operation on the application can overrule: from the one on that changes the platform.
   */
  readonly appFacts?: OrderPorts['appFacts'];
  /** Time limit of one run; default: the function's timeout less the time for writing the outcome. */
  readonly limitMs?: number;
}

/**
 * Returns the work of a stage with its time limit, after which a run fails and is tried again, and for entries only that
 * no operation has overruled.
 */
export function limitedWork(
  work: StageWork,
  { stage, appFacts, log, limitMs = workLimitMs(stage) }: WorkLimits,
): StageWork {
  // Lambda would end the function without a word, and its messages would be hidden until the visibility timeout.
  const late = () => tookTooLong(stage, limitMs);
  const limited: StageWork = (entry) => within(limitMs, (signal) => work(entry, signal), late);
  return appFacts ? unlessOverruled(limited, { appFacts, log }) : limited;
}

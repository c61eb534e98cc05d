import type { Entry, Status } from '../entry/entry.ts';
import type { Transition } from '../entry/transition.ts';
import type { DeployError } from '../errors.ts';
import type { StageName } from './pipeline.ts';

/** The result of a stage's work. `transition` carries what the work changes; the pipeline adds status and stages. */
export type StageOutcome =
  /** Done: the deploy continues with the next stage. `warning`: a sentence that the entry keeps. */
  | {
      readonly kind: 'done';
      readonly detail?: string;
      readonly warning?: string;
      readonly transition?: Transition;
    }
  /** The entry ends here, or is held, for a reason that is not a failure. */
  | {
      readonly kind: 'ended';
      readonly status: Status;
      readonly reason: string;
      readonly transition?: Transition;
    }
  | { readonly kind: 'failed'; readonly error: DeployError; readonly transition?: Transition }
  /** Not done yet: the stage runs again, and the attempt does not count. */
  | { readonly kind: 'again'; readonly afterSeconds: number }
  /**
   * Not done yet, and an event will queue the stage again: the message is done, and the attempt does not count. When
   * the event is lost, the sweep queues the stage after `atMostSeconds`.
   */
  | { readonly kind: 'waits'; readonly atMostSeconds: number }
  /** The result of an earlier stage is gone: that stage runs again. */
  | { readonly kind: 'back'; readonly to: StageName; readonly detail: string };

/**
 * The work of one stage. It can be called again for the same entry and must then have the same result. The signal is
 * aborted when the run has taken too long and its outcome no longer counts.
 */
export type StageWork = (entry: Entry, signal?: AbortSignal) => Promise<StageOutcome>;

import type { Entry, Status } from '../entry/entry.ts';
import type { DeployError } from '../errors.ts';
import type { Step } from '../ports/deploy-log.ts';
import type { StageName } from './pipeline.ts';

/** What the work of a stage came to. */
export type StageOutcome =
  /** Done: on to the next stage, with what was learnt. */
  | { readonly kind: 'done'; readonly patch?: Partial<Entry>; readonly detail?: string; readonly extra?: StepExtra }
  /** The entry ends here, or waits, for a reason that is no failure. */
  | {
      readonly kind: 'ended';
      readonly status: Status;
      readonly reason: string;
      readonly extra?: StepExtra;
      readonly patch?: Partial<Entry>;
    }
  /** Failed, with what was learnt on the way. */
  | { readonly kind: 'failed'; readonly error: DeployError; readonly patch: Partial<Entry> }
  /** Not done yet, and nobody's fault: come again. */
  | { readonly kind: 'again'; readonly afterSeconds: number }
  /** What an earlier stage made is gone: do it again. */
  | { readonly kind: 'back'; readonly to: StageName; readonly detail: string };

/** What moves with the entry. `due` is for a hold only. */
export type StepExtra = Partial<Omit<Step, 'entry'>>;

/** The work of one stage. It may be called again for the same entry and must then come to the same end. */
export type StageWork = (entry: Entry) => Promise<StageOutcome>;

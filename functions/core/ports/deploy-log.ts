import type { Entry } from '../entry/entry.ts';
import type { CheckResult } from '../hold/checks.ts';
import type { Job } from '../pipeline/job.ts';
import type { StageName } from '../pipeline/pipeline.ts';
import type { ExpectedCi, Gate } from './deploy-facts.ts';

/** What the log itself decides about a new entry: its number, its id and its place in the feed. */
export type Draft = Omit<Entry, 'number' | 'id' | 'seq'>;

/** A request that becomes an entry. */
export interface Appending {
  readonly draft: Draft;
  /** The delivery as received; kept, never shown. */
  readonly payload: Uint8Array;
  /** Whether it is a push that the branch's newest shall be; skipped ones are not. */
  readonly accepted: boolean;
  /** What a check said, remembered with the commit in the same transaction. */
  readonly outcome: CheckResult | null;
  /** A CI provider whose results are to be expected for a branch of the repository, or are not any more. */
  readonly ci?: ExpectedCi | null;
  /** Key of the delivery, which makes one entry only; null when it has none. */
  readonly once: string | null;
  /** The entry that an earlier copy of the delivery made and that this one is allowed to replace. */
  readonly replaces: number | null;
  /** Milliseconds since 1970 at which the sweeper looks at the entry, unless it is final. */
  readonly due: number;
}

/** A step of an entry: the entry as it shall be, and what moves with it in the same transaction. */
export interface Step {
  readonly entry: Entry;
  readonly gate?: Partial<Omit<Gate, 'checks' | 'version'>>;
  /** Only while the gate is of this version: neither a hold nor its end may overlook a result that came in meanwhile. */
  readonly ifVersion?: number;
  /** The entry has passed the gate: it is what its branch now deploys. */
  readonly goes?: boolean;
  /** The deploy of this entry is what the application now runs. */
  readonly activates?: boolean;
  /** The stage stays taken; otherwise a step gives it back. */
  readonly keepsLease?: boolean;
  /** Milliseconds since 1970 at which the sweeper looks at the entry, unless it is final by then. */
  readonly due: number;
}

/** How taking a stage ended. `late`: this stage is already done; `busy`: somebody has it until then. */
export type Taken =
  | { readonly outcome: 'taken'; readonly entry: Entry; readonly attempts: number }
  | { readonly outcome: 'busy'; readonly until: number }
  | { readonly outcome: 'late'; readonly entry: Entry }
  | { readonly outcome: 'over' };

/** A turn at a stage; the sweeper looks again at `due`. Milliseconds since 1970. */
export interface Turn extends Job {
  readonly stage: StageName;
  readonly now: number;
  readonly leaseUntil: number;
  readonly due: number;
}

/** The log, as those write it that move a deploy. Every step is one transaction with its change in the feed. */
export interface DeployLog {
  /**
   * Writes a new entry with its change. Gives the entry, or the number of the entry that the same delivery made before
   * (nothing is written then, unless `replaces` names it).
   */
  append(appending: Appending): Promise<{ readonly entry: Entry } | { readonly duplicateOf: number }>;
  /** The entry, read strongly; null when there is none. */
  read(user: string, number: number): Promise<Entry | null>;
  /**
   * Takes a stage for the time of a lease, counting the attempt; an expired lease is taken over. It changes nothing
   * that a reader of the feed sees.
   */
  take(turn: Turn): Promise<Taken>;
  /** Gives a stage back that has only paused: the attempt does not count. The sweeper looks again at `due`. */
  release(turn: Pick<Turn, 'user' | 'number' | 'stage'>, due: number): Promise<void>;
  /**
   * Moves an entry. `step` is given the entry as it stands and may be called again when somebody else moved it
   * meanwhile; null leaves it as it is. Gives the entry as it stands afterwards, or null when there is none or
   * `ifVersion` was not met.
   */
  move(user: string, number: number, step: (entry: Entry) => Step | null): Promise<Entry | null>;
}

import type { Entry, EntryFields } from '../entry/entry.ts';
import type { Kind } from '../entry/kinds.ts';
import type { Badge } from '../entry/outcome.ts';
import type { EntryChanges, Transition } from '../entry/transition.ts';
import type { CheckResult } from '../hold/checks.ts';
import type { Job } from '../pipeline/job.ts';
import type { StageName } from '../pipeline/pipeline.ts';
import type { ExpectedCi } from './facts.ts';

/** An entry without what the log assigns: its number, its id and its `seq` in the feed. */
export type Draft = DraftFields & Kind;

export type DraftFields = Omit<EntryFields, 'number' | 'id' | 'seq'>;

/** The result of a check with its commit, which need not be that of the entry. */
export interface CommitResult extends CheckResult {
  readonly sha: string;
}

/** A request that becomes an entry. */
export interface AppendRequest {
  readonly draft: Draft;
  /** The delivery as received; stored, never shown. */
  readonly payload: Uint8Array;
  /** Makes the entry the newest push of its branch. */
  readonly isNewestPush?: boolean;
  /**
   * The branch or the pull request has moved from `before` to the entry's commit, or was deleted or closed, whether that
   * is deployed or not. A commit that was found is where it is, wherever it was before.
   */
  readonly isTip?: boolean;
  /** The words by which its message asks that the commit is not deployed. */
  readonly skip?: string | null;
  /** The result of a check, stored with the commit in the same transaction. */
  readonly checkResult?: CheckResult | null;
  /** The result of a check for a commit, which previews wait for: it counts on whatever branch the commit is. */
  readonly commitResult?: CommitResult | null;
  /** A CI provider that is expected to report on a branch of the repository, or no longer. */
  readonly expectedCi?: ExpectedCi | null;
  /** Key of the delivery, which makes one entry only. */
  readonly deliveryKey?: string | null;
  /** The entry of an earlier copy of the delivery that this one may replace. */
  readonly replaces?: number;
  /**
   * The application, by the platform's name of it, whose earlier deploys the entry overrules: those that have not
   * started by then never do.
   */
  readonly overrules?: string;
  /** Milliseconds since 1970 at which the sweeper looks at the entry, unless it is final. */
  readonly dueAt: number;
}

/** The new entry, or the number of the one that the same delivery made before; nothing is written then. */
export type AppendResult = { readonly entry: Entry } | { readonly duplicateOf: number };

/** A stage of an entry that a worker claims. */
export interface ClaimedStage extends Job {
  readonly stage: StageName;
}

/** A claim on a stage for the time of a lease. Times are milliseconds since 1970. */
export interface StageClaim extends ClaimedStage {
  readonly now: number;
  readonly leaseUntil: number;
  /** When the sweeper looks at the entry. */
  readonly dueAt: number;
}

/** The result of a claim: the entry with the number of attempts, or why the stage is not to be run now. */
export type ClaimResult =
  | { readonly outcome: 'claimed'; readonly entry: Entry; readonly attempts: number }
  /** Another worker holds the lease. */
  | { readonly outcome: 'locked'; readonly until: number }
  /** The entry is at a later stage. */
  | { readonly outcome: 'alreadyDone'; readonly entry: Entry }
  /** The entry has ended, is held, is at an earlier stage, or does not exist. */
  | { readonly outcome: 'closed' };

/** Returns what a claim changes in its entry; null for nothing. */
export type Announce = (entry: Entry, attempts: number) => EntryChanges | null;

/** The log for the functions that write it. Each transition is one transaction with its change in the feed. */
export interface DeployLog {
  /** Writes a new entry with its change, once for each delivery key, except for the entry that `replaces` names. */
  append(request: AppendRequest): Promise<AppendResult>;
  /** Returns the entry, read strongly; null when there is none. */
  read(user: string, number: number): Promise<Entry | null>;
  /**
   * Claims a stage and counts the attempt; an expired lease is taken over. What `announce` returns for the claimed entry is
   * written with the claim, as a change of the feed; null, or no function, makes none.
   */
  claim(claim: StageClaim, announce?: Announce): Promise<ClaimResult>;
  /** Releases a claim on a stage that only paused: the attempt does not count. The sweeper looks again at `dueAt`. */
  releaseClaim(stage: ClaimedStage, dueAt: number): Promise<void>;
  /**
   * Writes the transition that `decide` returns for the current entry; null writes nothing. It is called again when
   * another writer was faster, or a worker has claimed the stage. Returns the entry afterwards, or null when there is none or `ifCommitVersion` refused.
   */
  move(user: string, number: number, decide: (entry: Entry) => Transition | null): Promise<Entry | null>;
}

/** A change of the feed: the entry as it was at that time, with its `seq`. */
export type Change = Entry;

export interface PageQuery {
  readonly user: string;
  readonly app: string | null;
  readonly skip: number;
  readonly limit: number;
}

/** A page of the log, newest first. `total` counts all entries of the user, or of the application. */
export interface Page {
  readonly total: number;
  readonly entries: readonly Entry[];
}

export interface LogReader {
  read(user: string, number: number): Promise<Entry | null>;
  /** The cost does not depend on `skip`. */
  page(query: PageQuery): Promise<Page>;
  /**
   * Returns up to `limit` changes after `since`, in order. The read is not a snapshot: a change may be missing although
   * a later one is there.
   */
  changes(user: string, since: number, limit: number): Promise<readonly Change[]>;
  /** Returns the number of the user's last change; 0 before the first. */
  last(user: string): Promise<number>;
  /** Returns the badge of a repository, or of the application in that folder of it. */
  badge(user: string, repository: string, path?: string): Promise<Badge>;
}

/**
 * What the sweeper looks at, by the time at which it does: the entries that are unfinished, and those that have ended
 * while something is left to do, such as their commit status.
 */
export interface Backlog {
  /** Returns up to `limit` entries that are due by `now`, the longest overdue first. */
  due(now: number, limit: number): Promise<readonly Job[]>;
  /**
   * Makes an entry due at another time. `freesLease`: drops the lease as `release` does, because no
   * worker can hold it any more.
   */
  postpone(job: Job, dueAt: number, freesLease: boolean): Promise<void>;
  /**
   * Takes an entry from its worker, which is gone: its stage begins anew, so that the time without the service does not
   * count. Nor does the attempt, up to `MAX_RESTARTS` of a stage. It is then not due before `dueAt`. Returns whether a worker had it.
   */
  release(job: Job, dueAt: number): Promise<boolean>;
  /** Takes an entry out that has ended, because nothing is left to do; not if it has changed since that `seq`. */
  close(entry: Job & { readonly seq: number }): Promise<void>;
}

import type { CheckResult } from '../checks.ts';
import type { CommitRef, RepositoryRef } from '../delivery.ts';
import type { Entry } from '../entry.ts';
import type { Job } from '../job.ts';
import type { StageName } from '../pipeline.ts';

/** What the log itself decides about a new entry: its number, its id and its place in the feed. */
export type Draft = Omit<Entry, 'number' | 'id' | 'seq'>;

/** What is known of a commit on a branch: kept apart from the entries, because it may be known before the push. */
export interface Gate {
  readonly checks: readonly CheckResult[];
  /** Grows with every result, so that a step can tell whether it has seen them all. */
  readonly version: number;
  /** The entry that waits for CI. */
  readonly held: number | null;
  /** The entry that deploys, or deployed, the commit. */
  readonly deploying: number | null;
  /** Whether that is a CI provider's entry to which no push has come yet. */
  readonly awaitsPush: boolean;
}

/** Whether a CI provider is to be expected to call about the commits of a branch. */
export interface ExpectedCi {
  readonly branch: string;
  readonly provider: string;
  /** Milliseconds since 1970 until which it is; null: not any more. */
  readonly until: number | null;
}

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

/** What is known of a branch of a repository. */
export interface BranchFacts {
  /** Number of the newest accepted push; 0 when there is none. */
  readonly newest: number;
  /** The newest entry that has passed the gate. */
  readonly going: { readonly number: number; readonly sha: string } | null;
  /** The application that earlier commits of the branch named. */
  readonly app: string | null;
  /** CI providers that are to be expected to call, each with the time until which; milliseconds since 1970. */
  readonly ci: Readonly<Record<string, number>>;
}

/** What the stages must know beside the entry. Strong reads; the case of owners and repositories does not matter. */
export interface DeployFacts {
  gate(user: string, commit: CommitRef, branch: string): Promise<Gate>;
  /** The commits on a branch that begin with these digits, among those that have a gate. */
  commits(user: string, repository: RepositoryRef, branch: string, digits: string): Promise<readonly string[]>;
  branch(user: string, repository: RepositoryRef, branch: string): Promise<BranchFacts>;
  /**
   * Claims the application for a start: false when a later deploy has claimed or started it. `place` is the deploy's
   * place among the user's deploys; the same one again is fine.
   */
  claim(user: string, app: string, place: number): Promise<boolean>;
}

/** A change of the feed: the entry as it stood then, with its `seq`. */
export type Change = Entry;

/** What the badge of a repository shows. */
export type Badge = 'ok' | 'failed' | 'deploying' | 'held' | 'unknown';

/** Which entries a page shows. */
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

/** The log, as readers see it. */
export interface LogReader {
  read(user: string, number: number): Promise<Entry | null>;
  /** The cost does not depend on `skip`. */
  page(query: PageQuery): Promise<Page>;
  /** Up to `limit` changes after `since`, contiguous and in order. */
  changes(user: string, since: number, limit: number): Promise<readonly Change[]>;
  /** Number of the user's last change; 0 before the first. */
  last(user: string): Promise<number>;
  badge(user: string, repository: string): Promise<Badge>;
}

/** Entries that have been waiting for longer than they should. */
export interface Backlog {
  /** Up to `limit` unfinished entries whose time has come by `now`, the longest overdue first. */
  due(now: number, limit: number): Promise<readonly Job[]>;
  /** Has the next look at `due`. `freesLease`: nobody can be working on the entry, whatever its lease says. */
  postpone(job: Job, due: number, freesLease: boolean): Promise<void>;
}

/** A stored token of a user for a repository host. */
export interface StoredToken {
  readonly host: string;
  /** The application it is restricted to, or `*`. */
  readonly app: string;
  readonly login: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly sealed: string;
}

/** The sealed tokens. */
export interface TokenStore {
  get(user: string, host: string, app: string): Promise<StoredToken | null>;
  /** Stores a token in place of the one that the host and application had. */
  put(user: string, token: StoredToken): Promise<void>;
  /** All tokens of the user, by host and application. */
  list(user: string): Promise<readonly StoredToken[]>;
  /** Whether there was one to remove. */
  remove(user: string, host: string, app: string): Promise<boolean>;
}

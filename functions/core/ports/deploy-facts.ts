import type { CheckResult } from '../hold/checks.ts';
import type { CommitRef, RepositoryRef } from '../payload/delivery.ts';

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

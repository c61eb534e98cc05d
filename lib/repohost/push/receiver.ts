import type { RepositoryName } from '../store/folders.ts';

/** A ref of a repository that has moved. */
export interface MovedRef extends RepositoryName {
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly ref: string;
  /** The commit before; null for a new ref. */
  readonly before: string | null;
  /** Null when the ref was deleted. */
  readonly after: string | null;
  /** The number of the preview that the branch has; null for a ref without one. */
  readonly preview: number | null;
  readonly forced: boolean;
  /** The whole message of the commit, and its author or else who has pushed. */
  readonly message: string | null;
  readonly author: string | null;
}

/** The tip of a default branch. */
type Tip = Pick<MovedRef, 'owner' | 'name' | 'defaultBranch'> & { readonly sha: string };

/** What the service has recorded of a push. */
export interface Accepted {
  readonly status: string;
  readonly reason: string | null;
  /** The address of the entry. */
  readonly entry: string;
  /** The address of its page. */
  readonly page: string;
  /** Whether its deploy has not ended. */
  readonly isOpen: boolean;
}

/** Where lines for the user who pushes go. */
export interface Watching {
  readonly print: (line: string) => void;
  /** The user has gone. */
  readonly signal: AbortSignal;
}

/** The service that deploys what is pushed. */
export interface Receiver {
  /**
   * Records a push. Throws a DeployError, of which one with a status from 500 on may pass. A tip of a default branch that
   * is recorded already makes nothing new.
   */
  accept(moved: MovedRef): Promise<Accepted>;
  /** Returns the tip that is recorded of a branch (`before`), if a push to it was missed; else null. */
  missedAfter(tip: Tip): Promise<{ readonly before: string | null } | null>;
  /** Shows the user who pushed what becomes of it; resolves when there is nothing more to show. */
  follow(accepted: Accepted, watching: Watching): Promise<void>;
}

import type { DefaultTip, MovedRef } from '../../../functions/core/payload/moved-ref.ts';

/** What the service has recorded of a push. */
export interface Accepted {
  readonly status: string;
  readonly reason: string | null;
  /** The address of the entry. */
  readonly entry: string;
  /** The address of its page. */
  readonly page: string;
  /** Whether the user sees what becomes of it: its deploy has not ended, or is live already. */
  readonly isFollowed: boolean;
}

/** What a repository deploys. */
export interface DeployedBy {
  /** The platform's name of the application. */
  readonly app: string;
  /** A name for an environment that has another branch; null for a repository that is one itself. */
  readonly environment: string | null;
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
  missedAfter(tip: DefaultTip): Promise<{ readonly before: string | null } | null>;
  /** Returns what pushes to a repository deploy; `branch` is another one. */
  deployedBy(repository: Omit<DefaultTip, 'sha'>, branch: string): Promise<DeployedBy>;
  /** Shows the user who pushed what becomes of it; resolves when there is nothing more to show. */
  follow(accepted: Accepted, watching: Watching): Promise<void>;
}

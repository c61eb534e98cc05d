import type { CommitRef } from '../payload/delivery.ts';

/** A token of the user for the host, opened; null is anonymous. */
export type HostToken = string | null;

/** What a commit status says (https://docs.github.com/rest/commits/statuses). */
export interface CommitStatus {
  readonly state: 'pending' | 'success' | 'failure' | 'error';
  /** Address of the log entry. */
  readonly targetUrl: string;
  /** At most 140 characters. */
  readonly description: string;
  /** `deployment-webhooks/<app>`. */
  readonly context: string;
}

/** What pairing learnt about a user's secret. The token is the caller's to seal; it is never shown. */
export interface Pairing {
  readonly login: string;
  readonly token: string;
  readonly scopes: readonly string[];
  /** RFC 3339; null when the token does not expire, or the host does not tell. */
  readonly expiresAt: string | null;
}

/** How `head` stands to `base`. */
export type Comparison = 'ahead' | 'behind' | 'identical' | 'diverged';

/** A repository host: GitHub and its peers. */
export interface RepositoryHost {
  /**
   * One file of the tree of a commit, at most `maxBytes`; null when the tree does not hold it.
   * Throws `deploy:repohost:no_pkg_json`: not retryable when the repository is not to be seen (401, 403, 404), retryable
   * on 5xx, time-outs and rate limits (with `retryAfter`).
   */
  file(commit: CommitRef, path: string, token: HostToken, maxBytes: number): Promise<string | null>;
  /**
   * The gzip tarball of exactly that commit, as the host makes it, as a stream; aborts when `signal` does.
   * Throws `deploy:repohost:download_tarball`.
   */
  tarball(commit: CommitRef, token: HostToken, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Sets the status of a commit. Throws a DeployError; the caller never fails a deploy for it. */
  setStatus(commit: CommitRef, status: CommitStatus, token: HostToken): Promise<void>;
  /** How `head` stands to `base.sha`, both in the same repository. Throws like `file`. */
  compare(base: CommitRef, head: string, token: HostToken): Promise<Comparison>;
  /** Validates the user's secret (or exchanges it). Throws `auth:repohost:github_pairing_failed`. */
  pair(login: string, secret: string): Promise<Pairing>;
}

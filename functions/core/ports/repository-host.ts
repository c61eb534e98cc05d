import type { CommitRef, RepositoryRef } from '../payload/delivery.ts';

/** A token of the user for the host, in plain text; null: anonymous. */
export type HostToken = string | null;

/** A commit status (https://docs.github.com/rest/commits/statuses). */
export interface CommitStatus {
  readonly state: 'pending' | 'success' | 'failure' | 'error';
  /** Address of the log entry, or of a preview that answers. */
  readonly targetUrl: string;
  /** At most 140 characters. */
  readonly description: string;
  /** `deployment-webhooks/<app>`. */
  readonly context: string;
}

/** The result of pairing. The caller must seal the token, and never shows it. */
export interface Pairing {
  readonly login: string;
  readonly token: string;
  readonly scopes: readonly string[];
  /** RFC 3339; null when the token does not expire, or the host does not say. */
  readonly expiresAt: string | null;
}

/** The position of a commit relative to another one. */
export type Comparison = 'ahead' | 'behind' | 'identical' | 'diverged';

/** The newest commit of a branch, with what a push says of it. */
export interface BranchTip {
  readonly sha: string;
  /** The whole message; null when the host does not say. */
  readonly message: string | null;
  readonly author: string | null;
}

export interface HostedRepository {
  /** The id that stays when it is renamed or transferred, as the webhooks of the host have it; absent for none. */
  readonly id?: string;
  /** Null for one without commits. */
  readonly defaultBranch: string | null;
  readonly private: boolean;
  /** The address of its page; null when the host does not say. */
  readonly url: string | null;
}

/** What a host says of one pull request. */
export interface PullRequestState {
  /** Whether it is neither closed nor merged. */
  readonly isOpen: boolean;
  /** Its head commit, or its first 12 digits where the host says no more; null when it says none. */
  readonly head: string | null;
}

/** An open pull request, as a host lists it. */
export interface OpenPullRequest {
  readonly number: number;
  /** Its head commit, or its first 12 digits where the host lists no more; null when it lists none. */
  readonly sha: string | null;
  /** The repository of its commits, where the host has those of a fork only in the fork; else absent. */
  readonly source?: string;
  /** The branch that it merges, in its own repository. */
  readonly branch: string;
  readonly title: string | null;
  readonly author: string | null;
  readonly draft: boolean;
  /** Whether its commits are of another repository. */
  readonly fromFork: boolean;
  /** Milliseconds since 1970; null when the host does not say. */
  readonly updatedAt: number | null;
}

/** An answer to the request for the open pull requests of a repository. */
export interface PullRequestList {
  /** The pull requests that changed last, at least thirty; null: nothing has changed since the answer with the tag. */
  readonly open: readonly OpenPullRequest[] | null;
  /** The ETag for the next request; null: the host has none. */
  readonly tag: string | null;
  /** The seconds between two requests at which half of what the rate limit allows is left for others; 0 without one. */
  readonly paceSeconds: number;
}

export interface RepositoryHost {
  /**
   * Returns a file of a commit, at most `maxBytes`; null when the commit does not contain it. Throws
   * `deploy:repohost:no_pkg_json`: not retryable when the repository is not accessible (401, 403, 404), retryable on
   * 5xx, timeouts and rate limits (with `retryAfter`).
   */
  file(commit: CommitRef, path: string, token: HostToken, maxBytes: number): Promise<string | null>;
  /**
   * Returns the gzip tarball of exactly that commit as a stream, which is aborted with `signal`. Throws
   * `deploy:repohost:download_tarball`.
   */
  tarball(commit: CommitRef, token: HostToken, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Sets the status of a commit. Throws a DeployError; the caller never fails a deploy for it. */
  setStatus(commit: CommitRef, status: CommitStatus, token: HostToken): Promise<void>;
  /** Returns the position of `head` relative to `base.sha` in the same repository. Throws like `file`. */
  compare(base: CommitRef, head: string, token: HostToken): Promise<Comparison>;
  /**
   * Returns the whole id of the commit that starts with these digits, at a host that names commits by them: Bitbucket.
   * Throws like `file`.
   */
  wholeCommit(repository: RepositoryRef, digits: string, token: HostToken): Promise<string>;
  /** Returns the commit at the tip of a branch; null when there is no such branch. Throws like `file`. */
  tip(repository: RepositoryRef, branch: string, token: HostToken): Promise<BranchTip | null>;
  /** Returns what the host says of a repository. Throws like `file`. */
  repository(repository: RepositoryRef, token: HostToken): Promise<HostedRepository>;
  /** Validates the user's secret (or exchanges it). Throws `auth:repohost:github_pairing_failed`. */
  pair(login: string, secret: string): Promise<Pairing>;
}

/** What is asked of a host about pull requests. */
export interface PullRequests {
  /** Returns what a pull request is now; one that does not exist is not open. Throws like `file`. */
  pullRequestState(repository: RepositoryRef, pullRequest: number, token: HostToken): Promise<PullRequestState>;
  /** Returns the open pull requests. Throws like `file`. */
  openPullRequests(repository: RepositoryRef, token: HostToken, tag: string | null): Promise<PullRequestList>;
}

/** A repository host with all that the service asks of it. */
export type Host = RepositoryHost & PullRequests;

/** The repository host of the service itself, which deploys the default branch of each repository. */
export interface OwnHost {
  /** Its name among the hosts. */
  readonly name: string;
  makeDefault(repository: RepositoryRef, branch: string): Promise<void>;
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

export interface TokenStore {
  get(user: string, host: string, app: string): Promise<StoredToken | null>;
  /** Stores a token; it replaces that of the same host and application. */
  put(user: string, token: StoredToken): Promise<void>;
  /** Returns all tokens of the user, sorted by host and application. */
  list(user: string): Promise<readonly StoredToken[]>;
  /** Returns whether there was one to remove. */
  remove(user: string, host: string, app: string): Promise<boolean>;
}

/** The owner of a sealed secret; opening it requires the same context. */
export interface SealContext {
  readonly purpose: 'repo-token';
  readonly user: string;
  readonly host: string;
}

export interface Sealer {
  /** Returns the sealed string, `v1.…`. */
  seal(secret: string, context: SealContext): Promise<string>;
  /** Returns the secret. Throws when the string was not sealed with this context. */
  open(sealed: string, context: SealContext): Promise<string>;
}

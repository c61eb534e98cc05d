import type { Skip } from './skip-words.ts';

/** A repository of a host. `host` is the name of a configured host (`github`), never an address from a payload. */
export interface RepositoryRef {
  readonly host: string;
  /** May contain slashes (GitLab groups). */
  readonly owner: string;
  readonly name: string;
}

/** One commit of a repository; `sha` is 40 or 64 lower-case hex digits. */
export interface CommitRef extends RepositoryRef {
  readonly sha: string;
}

/** Whether a text is the whole id of a commit, SHA-1 or SHA-256: neither a ref nor the first digits of one. */
export function isCommitId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(text);
}

/** The repository as the sender described it. */
export interface DeliveredRepository {
  /**
   * Host name, with its port if any, in the addresses of the payload: selects the configured host. Null when absent.
   */
  readonly hostname: string | null;
  readonly owner: string;
  readonly name: string;
  /** The id that the host gives it, which stays when it is renamed or transferred; absent when the sender has none. */
  readonly id?: string;
  /** Address of its web page, as sent; shown, never requested. */
  readonly url: string | null;
  readonly private: boolean;
}

interface DeliveryBase {
  /** Id of the sender: `github`, `travis`, … */
  readonly provider: string;
  /** The sender's id of the delivery, the same for a redelivery. Null when the sender has none. */
  readonly id: string | null;
}

/** The `hostKind` of a build whose host is selected by its host name only. */
export const ANY_HOST_KIND = 'any';

/** A ref moved. `branch` is null for tags and other refs; `sha` is null when the ref was deleted. */
export interface Push extends DeliveryBase {
  readonly kind: 'push';
  /** Kind of repository host that sends such payloads: `github`, `gitlab`, … */
  readonly hostKind: string;
  readonly repository: DeliveredRepository;
  readonly ref: string;
  readonly branch: string | null;
  readonly sha: string | null;
  /** The previous commit of the ref; null when it is new or unknown. */
  readonly before: string | null;
  readonly forced: boolean;
  /** First line of the head commit's message. */
  readonly message: string | null;
  readonly author: string | null;
  /** The skip directives of the head commit's message; null without any or without a message. */
  readonly skip: Skip | null;
  /** The application that a repository of this service deploys. */
  readonly app?: string;
}

/** The outcome of a build for its commit. `neutral`: it was skipped, or says nothing about the commit. */
export type CheckOutcome = 'passed' | 'failed' | 'pending' | 'neutral';

/** The state of a CI provider's build, finished or not. */
export interface BuildResult extends DeliveryBase {
  readonly kind: 'build';
  /** Kind of repository host, or `any` when the CI provider does not name it. */
  readonly hostKind: string;
  readonly repository: DeliveredRepository;
  readonly sha: string;
  readonly branch: string | null;
  /** Name of the check, workflow or pipeline, for people. */
  readonly check: string;
  /** What the sender tells the check apart by from others of the commit; absent where that is its name. */
  readonly checkId?: string;
  /** Grows from run to run of the check; absent where the sender sends neither a number nor a time. */
  readonly run?: number;
  readonly outcome: CheckOutcome;
  /** The state as the provider names it: `Passed`, `Broken`, `cancelled`. */
  readonly state: string;
  /** Whether the build is of a pull request, whose branch is the base. It never deploys. */
  readonly pullRequest: boolean;
  /** A merge queue tested the commit before it pushed it to `branch`: that push is deployed, not the build. */
  readonly mergeQueue?: true;
  /** Id and outcome of the pull request's head commit, where `sha` and `outcome` are of another. */
  readonly head?: { readonly sha: string; readonly outcome: CheckOutcome };
  readonly message: string | null;
  readonly author: string | null;
  /** As in a push: a commit that asks not to be deployed is not deployed by its build either. */
  readonly skip: Skip | null;
}

/** A pull request got a commit to preview, or was closed. */
export interface PullRequest extends DeliveryBase {
  readonly kind: 'pull';
  readonly hostKind: string;
  /** The repository that it is to be merged into. */
  readonly repository: DeliveredRepository;
  readonly number: number;
  readonly closed: boolean;
  readonly draft: boolean;
  /** Whether its commits are of another repository than the one above. */
  readonly fromFork: boolean;
  /** The branch that it merges, in its own repository. */
  readonly branch: string;
  /** Its head commit, or the first 12 digits where the sender sends no more: Bitbucket. */
  readonly sha: string;
  /** The repository of its commits, where the host has those of a fork only in the fork: Bitbucket. */
  readonly source?: string;
  /** The call is also made when nothing but a title has changed, and does not say so. */
  readonly mayRepeat?: true;
  /** The commit that it had before; null when the sender does not say. */
  readonly before: string | null;
  readonly title: string | null;
  readonly author: string | null;
}

/** Whether a title says that a pull request is a draft, as in Gitea (https://docs.gitea.com/usage/pull-request). */
export function isWorkInProgress(title: string | null | undefined): boolean {
  return /^\s*(?:WIP:|\[WIP\])/i.test(title ?? '');
}

/** A valid delivery that never deploys: a ping, or an event that the service does not use. */
export interface Notice extends DeliveryBase {
  readonly kind: 'notice';
  readonly repository: DeliveredRepository | null;
  /** Why nothing is deployed: one sentence. */
  readonly reason: string;
  /** For a ping: whether the webhook also sends CI results. Absent when it does not say. */
  readonly bringsCi?: boolean;
}

/** The content of a webhook call, the same for all senders. */
export type Delivery = Push | BuildResult | PullRequest | Notice;

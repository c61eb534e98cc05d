import type { Skip } from './skip-words.ts';

/** Where a repository lives: `host` is the name of a configured host (`github`), never an address from a payload. */
export interface RepositoryRef {
  readonly host: string;
  /** May hold slashes (GitLab groups). */
  readonly owner: string;
  readonly name: string;
}

/** One commit of a repository; `sha` is 40 or 64 lower-case hex digits. */
export interface CommitRef extends RepositoryRef {
  readonly sha: string;
}

/** The repository as the sender described it. */
export interface DeliveredRepository {
  /** Host name in the payload's own addresses (`github.com`; with its port, when it has one), to choose among the configured hosts; null when absent. */
  readonly hostname: string | null;
  readonly owner: string;
  readonly name: string;
  /** Address of its page for people, as sent; shown, never called. */
  readonly url: string | null;
  readonly private: boolean;
}

interface DeliveryBase {
  /** Who called, in the words of the log: `github`, `travis`, … */
  readonly provider: string;
  /** The sender's own id of the delivery; the same id again is the same delivery. Null when the sender has none. */
  readonly id: string | null;
}

/** The `hostKind` of a build whose repository is to be found by its host name, among hosts of every kind. */
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
  /** Where the ref stood before; null when it is new or unknown. */
  readonly before: string | null;
  readonly forced: boolean;
  /** First line of the head commit's message. */
  readonly message: string | null;
  readonly author: string | null;
  /** What the head commit's whole message asks to leave out; null when it asks for nothing, or is not known. */
  readonly skip: Skip | null;
}

/** What a build says of its commit. `neutral`: it was skipped, or tells nothing about the commit. */
export type CheckOutcome = 'passed' | 'failed' | 'pending' | 'neutral';

/** A CI provider finished (or moved) a build. */
export interface BuildResult extends DeliveryBase {
  readonly kind: 'build';
  /** Kind of repository host, or `any` when the CI provider does not say it: the host name decides then. */
  readonly hostKind: string;
  readonly repository: DeliveredRepository;
  /** The commit; null when the provider gives only its first digits. */
  readonly sha: string | null;
  /** The first 7 to 39 digits of the commit, in lower case, for a provider that gives no more; else null. */
  readonly shaPrefix: string | null;
  readonly branch: string | null;
  /** Name of the check, workflow or pipeline, by which several ones of a commit are told apart. */
  readonly check: string;
  readonly outcome: CheckOutcome;
  /** `outcome` is `passed`. */
  readonly passed: boolean;
  /** Neither releases a hold nor ends it: `outcome` is `pending` or `neutral`. */
  readonly pending: boolean;
  /** The provider's own word: `Passed`, `Broken`, `cancelled`. */
  readonly state: string;
  /** A pull-request build never deploys: its branch is the base. */
  readonly pullRequest: boolean;
  readonly message: string | null;
  readonly author: string | null;
  /** As of a push: a commit that asks not to be deployed is not deployed by its build either. */
  readonly skip: Skip | null;
  /** Page of the build, for people. */
  readonly url: string | null;
}

/** Something genuine that never deploys: a ping, an event that the service was not asked for. */
export interface Notice extends DeliveryBase {
  readonly kind: 'notice';
  readonly repository: DeliveredRepository | null;
  /** Why nothing is deployed: one sentence. */
  readonly reason: string;
  /** What a ping tells: whether the webhook is also called with what CI found. Absent when it does not tell. */
  readonly bringsCi?: boolean;
}

/** The fields of a build that follow from its outcome. */
export function outcomeFields(outcome: CheckOutcome): Pick<BuildResult, 'outcome' | 'passed' | 'pending'> {
  return { outcome, passed: outcome === 'passed', pending: outcome === 'pending' || outcome === 'neutral' };
}

/** What a webhook call says, whoever sent it. */
export type Delivery = Push | BuildResult | Notice;

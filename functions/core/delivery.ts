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
}

/** A CI provider finished (or moved) a build. */
export interface BuildResult extends DeliveryBase {
  readonly kind: 'build';
  readonly hostKind: string;
  readonly repository: DeliveredRepository;
  readonly sha: string;
  readonly branch: string | null;
  readonly passed: boolean;
  /** Not finished yet: neither releases a hold nor ends it. */
  readonly pending: boolean;
  /** The provider's own word: `Passed`, `Broken`, `cancelled`. */
  readonly state: string;
  /** A pull-request build never deploys: its branch is the base. */
  readonly pullRequest: boolean;
  readonly message: string | null;
  readonly author: string | null;
  /** Page of the build, for people. */
  readonly url: string | null;
}

/** Something genuine that never deploys: a ping, an event that the service was not asked for. */
export interface Notice extends DeliveryBase {
  readonly kind: 'notice';
  readonly repository: DeliveredRepository | null;
  /** Why nothing is deployed: one sentence. */
  readonly reason: string;
}

/** What a webhook call says, whoever sent it. */
export type Delivery = Push | BuildResult | Notice;

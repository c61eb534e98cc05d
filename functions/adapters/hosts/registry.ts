import type { Dialect } from './dialect.ts';
import { PUBLIC_WEB, RAW_HOST } from './github/anonymous.ts';

/**
 * The definition of a kind of repository host: data, and its dialect, which is loaded by the functions that call the
 * host, not by those that only need to know the kinds.
 */
export interface HostDefinition {
  /** The `kind` in `RepositoryHosts`, and the `hostKind` of the deliveries: `github`, … */
  readonly kind: string;
  readonly name: string;
  /** Other kinds whose payloads may come from this host: Gitea and Forgejo send the headers of each other. */
  readonly alsoKinds?: readonly string[];
  /** Loads how its API is called, given the base URL of its web pages. */
  readonly dialect: (web: string) => Dialect | Promise<Dialect>;
  /** Returns further hosts that it serves public files from, given the base URL of its web pages. */
  readonly downloadHosts?: (web: string) => readonly string[];
}

/** GitHub and GitHub Enterprise Server (`https://HOST/api/v3`). */
export const github: HostDefinition = {
  kind: 'github',
  name: 'GitHub, GitHub Enterprise Server',
  dialect: async (web) => (await import('./github/dialect.ts')).githubDialect(web),
  // Files without a token: see `anonymous.ts`.
  downloadHosts: (web) => (web === PUBLIC_WEB ? [RAW_HOST] : []),
};

/** GitLab, .com and self-managed (`https://HOST/api/v4`). */
export const gitlab: HostDefinition = {
  kind: 'gitlab',
  name: 'GitLab (.com and your own)',
  dialect: async () => (await import('./gitlab/dialect.ts')).dialect,
};

/** Gitea (`https://HOST/api/v1`). */
export const gitea: HostDefinition = {
  kind: 'gitea',
  name: 'Gitea',
  alsoKinds: ['forgejo'],
  dialect: async () => (await import('./gitea/dialect.ts')).dialect,
};

/** Forgejo, whose API is the same as Gitea's. */
const forgejo: HostDefinition = {
  ...gitea,
  kind: 'forgejo',
  name: 'Forgejo',
  alsoKinds: ['gitea'],
};

/** Bitbucket Cloud (`https://api.bitbucket.org/2.0`). */
export const bitbucket: HostDefinition = {
  kind: 'bitbucket',
  name: 'Bitbucket Cloud',
  dialect: async (web) => (await import('./bitbucket/dialect.ts')).dialectAt(web),
};

export const hosts: readonly HostDefinition[] = [github, gitlab, gitea, forgejo, bitbucket];

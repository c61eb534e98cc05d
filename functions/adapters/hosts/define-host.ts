import type { Dialect } from './dialect.ts';

/** The definition of a kind of repository host. Each is in one file and listed in `registry.ts`. */
export interface HostDefinition {
  /** The `kind` in `RepositoryHosts`, and the `hostKind` of the deliveries: `github`, … */
  readonly kind: string;
  /** The display name. */
  readonly name: string;
  /** Other kinds whose payloads may come from this host: Gitea and Forgejo send the headers of each other. */
  readonly alsoKinds?: readonly string[];
  /** Returns how its API is called, given the base URL of its web pages. */
  readonly dialect: (web: string) => Dialect;
  /** For the documentation: name and version of the API, requests other than for files and tarballs, tests. */
  readonly api: string;
  readonly calls: { readonly status: string; readonly compare: string; readonly pairing: string };
  readonly tested: string;
}

/** Returns the definition of a kind of repository host. */
export function defineHost(definition: HostDefinition): HostDefinition {
  return definition;
}

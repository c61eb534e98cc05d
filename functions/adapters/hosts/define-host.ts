import type { Dialect } from './dialect.ts';

/**
 * The definition of a kind of repository host. Each has a folder and is listed in `registry.ts`. The definition is
 * data; its dialect is loaded by the functions that call the host, not by those that only need to know the kinds.
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
  /** For the documentation: name and version of the API, and tests. */
  readonly api: string;
  readonly tested: string;
}

export function defineHost(definition: HostDefinition): HostDefinition {
  return definition;
}

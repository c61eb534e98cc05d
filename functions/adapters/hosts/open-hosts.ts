import { once } from '../../core/concurrency.ts';
import { DeployError } from '../../core/errors.ts';
import type { Host } from '../../core/ports/repository-host.ts';
import { version } from '../../core/version.ts';
import { type HostConfig, hostAt } from './configuration.ts';
import type { Timeouts } from './http/http-client.ts';
import { type HostDefinition, hosts as registered } from './registry.ts';
import type { HostOptions } from './rest-host.ts';

interface OpenHost {
  readonly name: string;
  readonly kind: string;
  readonly host: Host;
}

/** The configured hosts: the only ones that are ever called. */
export interface Hosts {
  /** See `hostAt`. */
  at(segment: string): OpenHost | null;
  /** Returns the host of that name. Throws `deploy:repohost:no_pkg_json` when it is not or no longer configured. */
  named(name: string): Host;
}

export interface OpenOptions {
  readonly timeouts?: Partial<Timeouts>;
  /** Hosts that are open already, by name: that of this process. */
  readonly opened?: ReadonlyMap<string, Host>;
}

/** Opens one host. Its dialect and the HTTP client are loaded at the first call. */
export function openHost(definition: HostDefinition, options: HostOptions): Host {
  const opened = once(async () => {
    const { restHost } = await import('./rest-host.ts');
    const { web, downloadHosts = [] } = options;
    const further = definition.downloadHosts?.(web) ?? [];
    return restHost({ ...options, downloadHosts: [...downloadHosts, ...further] }, await definition.dialect(web));
  });
  return {
    file: async (...call) => (await opened()).file(...call),
    tarball: async (...call) => (await opened()).tarball(...call),
    setStatus: async (...call) => (await opened()).setStatus(...call),
    compare: async (...call) => (await opened()).compare(...call),
    wholeCommit: async (...call) => (await opened()).wholeCommit(...call),
    tip: async (...call) => (await opened()).tip(...call),
    repository: async (...call) => (await opened()).repository(...call),
    pullRequestState: async (...call) => (await opened()).pullRequestState(...call),
    openPullRequests: async (...call) => (await opened()).openPullRequests(...call),
    pair: async (...call) => (await opened()).pair(...call),
  };
}

/** Opens the configured hosts; no request is made yet. */
export function openHosts(
  configs: readonly HostConfig[],
  { opened, ...options }: OpenOptions = {},
  definitions: readonly HostDefinition[] = registered,
): Hosts {
  const userAgent = `deployment-webhooks/${version}`;
  const openOf = (config: HostConfig) => {
    const definition = definitions.find(({ kind }) => kind === config.kind);
    if (definition === undefined) throw new Error(`There is no repository host of the kind ${config.kind}.`);
    return openHost(definition, { userAgent, ...config, ...options });
  };
  const open = configs.map((config) => {
    return { name: config.name, kind: config.kind, host: opened?.get(config.name) ?? openOf(config) };
  });
  return {
    at: (segment) => hostAt(open, segment),
    named(name) {
      const configured = open.find((one) => one.name === name);
      if (configured) return configured.host;
      const detail = `The repository host "${name}" is no longer configured.`;
      throw new DeployError('deploy:repohost:no_pkg_json', detail, { retry: false });
    },
  };
}

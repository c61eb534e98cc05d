import type { RepositoryHost } from '../../core/ports/repository-host.ts';
import type { HostConfig, HostKind } from './configuration.ts';
import type { Exchange, Timeouts } from './exchange.ts';
import { type GithubOptions, github } from './github/github.ts';

/** A configured host, ready to be called. */
export interface OpenHost {
  readonly name: string;
  readonly kind: HostKind;
  readonly host: RepositoryHost;
}

/** The configured hosts: the only ones that are ever called. */
export interface Hosts {
  /** By the name that a `RepositoryRef` carries; null when it is not configured (any more). */
  find(name: string): OpenHost | null;
  /**
   * The host that a payload means: the one of that kind whose API or page address has this host name (with its port,
   * when it has one). Without a host name the first of the kind. Null when none fits: it is then not called.
   */
  hostFor(kind: string, hostname: string | null): OpenHost | null;
}

export interface OpenOptions {
  /** How the service names itself to hosts. */
  readonly userAgent?: string;
  readonly timeouts?: Partial<Timeouts>;
  readonly exchange?: Exchange;
}

const factories: Readonly<Record<HostKind, (options: GithubOptions) => RepositoryHost>> = { github };

/** Opens the configured hosts; nothing is called yet. */
export function openHosts(config: readonly HostConfig[], options: OpenOptions = {}): Hosts {
  const opened = config.map((entry) => {
    const host = factories[entry.kind]({ userAgent: 'deployment-webhooks', ...entry, ...options });
    return { name: entry.name, kind: entry.kind, host, addresses: new Set(addressesOf(entry)) };
  });
  return {
    find: (name) => opened.find((one) => one.name === name) ?? null,
    hostFor(kind, hostname) {
      const wanted = hostname?.toLowerCase() ?? null;
      return opened.find((one) => one.kind === kind && (wanted === null || one.addresses.has(wanted))) ?? null;
    },
  };
}

function addressesOf({ api, web }: HostConfig): readonly string[] {
  return [new URL(web).host, new URL(api).host];
}

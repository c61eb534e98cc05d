import { DeployError } from '../../core/errors.ts';
import type { RepositoryHost } from '../../core/ports/repository-host.ts';
import { version } from '../../core/version.ts';
import { bitbucket } from './bitbucket/bitbucket.ts';
import { chooseHost } from './choose.ts';
import type { HostConfig, HostKind } from './configuration.ts';
import type { Exchange, Timeouts } from './exchange.ts';
import { gitea } from './gitea/gitea.ts';
import { github } from './github/github.ts';
import { gitlab } from './gitlab/gitlab.ts';
import type { HostOptions } from './rest-host.ts';

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
  /** The host of that name. Throws `deploy:repohost:no_pkg_json` when it is not configured (any more). */
  named(name: string): RepositoryHost;
  /** The host that a payload means; see `chooseHost`. */
  hostFor(kind: string, hostname: string | null): OpenHost | null;
}

export interface OpenOptions {
  /** How the service names itself to hosts. */
  readonly userAgent?: string;
  readonly timeouts?: Partial<Timeouts>;
  readonly exchange?: Exchange;
}

const factories: Readonly<Record<HostKind, (options: HostOptions) => RepositoryHost>> = {
  github,
  gitlab,
  gitea,
  forgejo: gitea,
  bitbucket,
};

/** Opens the configured hosts; nothing is called yet. */
export function openHosts(config: readonly HostConfig[], options: OpenOptions = {}): Hosts {
  const opened = config.map((entry) => {
    const host = factories[entry.kind]({ userAgent: `deployment-webhooks/${version}`, ...entry, ...options });
    return { name: entry.name, kind: entry.kind, host };
  });
  const find = (name: string) => opened.find((one) => one.name === name) ?? null;
  return {
    find,
    named(name) {
      const open = find(name);
      if (open) return open.host;
      const detail = `The repository host "${name}" is no longer configured.`;
      throw new DeployError('deploy:repohost:no_pkg_json', detail, { retry: false });
    },
    hostFor(kind, hostname) {
      const chosen = chooseHost(config, kind, hostname);
      return chosen && find(chosen.name);
    },
  };
}

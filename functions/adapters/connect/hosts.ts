import { fetchToken } from '../../core/access.ts';
import { DeployError } from '../../core/errors.ts';
import type { HostToken, RepositoryHost } from '../../core/ports/repository-host.ts';
import { version } from '../../core/version.ts';
import { parseHosts } from '../hosts/configuration.ts';
import { openHosts } from '../hosts/registry.ts';
import { variable } from './environment.ts';
import { connectTokens } from './tokens.ts';

/** The configured repository hosts, from `REPOSITORY_HOSTS`, and the users' tokens to fetch code with. */
export function connectHosts(): {
  host(name: string): RepositoryHost;
  token(user: string, host: string): Promise<HostToken>;
} {
  const hosts = openHosts(parseHosts(variable('REPOSITORY_HOSTS')), { userAgent: `deployment-webhooks/${version}` });
  const access = connectTokens();
  return {
    host: (name) => {
      const open = hosts.find(name);
      if (open) return open.host;
      const detail = `The repository host "${name}" is no longer configured.`;
      throw new DeployError('deploy:repohost:no_pkg_json', detail, { retry: false });
    },
    token: (user, host) => fetchToken(access, user, host),
  };
}

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReservedPort } from '../../processes/ports.ts';
import { type RepoHost, startRepoHost } from '../../repohost/repohost.ts';
import type { Login } from '../config/users.ts';
import { platformLogin, serviceLogin } from '../platform-login.ts';

/** Options of the repository host. */
export interface RepositoriesOptions {
  readonly dataDir: string;
  readonly port: ReservedPort;
  /** Address of the service's API. */
  readonly url: string;
  /** Address of the platform that knows the users; undefined when the service does. */
  readonly platformUrl: string | undefined;
  readonly login: Login;
  readonly others: readonly Login[];
  readonly warn: (sentence: string) => void;
}

/** Starts the repository host, whose webhook deploys what is pushed. */
export function startRepositories(options: RepositoriesOptions): Promise<RepoHost> {
  const { dataDir, port, url, platformUrl, login, others, warn } = options;
  return startRepoHost({
    dataDir: join(dataDir, 'repositories'),
    port,
    // A repository deploys its default branch, which is what was pushed to it first.
    webhook: {
      url: `${url}/1/deploy?branch={default_branch}`,
      user: login.user,
      secret: login.password,
      owners: Object.fromEntries(others.map(({ user, password }) => [user, password])),
    },
    verify: platformUrl === undefined ? serviceLogin(url) : platformLogin(platformUrl),
    follower: fileURLToPath(new URL('../show/follow-push.ts', import.meta.url)),
    log: warn,
  });
}

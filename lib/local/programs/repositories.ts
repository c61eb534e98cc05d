import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { basicHeader } from '../../../functions/core/basic-auth.ts';
import { sameSecret } from '../../../functions/core/secrets.ts';
import type { EngineSettings } from '../../engine/settings.ts';
import { localFetch } from '../../http/local-fetch.ts';
import type { ReservedPort } from '../../http/ports.ts';
import { LoginThrottled, type VerifyLogin } from '../../repohost/api/access.ts';
import { type RepoHost, startRepoHost } from '../../repohost/repohost.ts';
import { localApi, OWN_HOST } from '../config/settings.ts';
import type { Login } from '../config/users.ts';

export interface RepositoriesOptions {
  readonly dataDir: string;
  readonly port: ReservedPort;
  /** Address of the service's API. */
  readonly url: string;
  /** Whether a login is valid, for those that are not known here. */
  readonly verify: VerifyLogin;
  /** Makes the API tokens with which pushes are posted. */
  readonly users: { renewToken(login: Login, name: string): Promise<string> };
  readonly login: Login;
  readonly others: readonly Login[];
  readonly warn: (sentence: string) => void;
}

export interface Repositories {
  readonly host: RepoHost;
  /** Takes a user in, or a changed password. */
  takeIn(login: Login): Promise<void>;
  /** Forgets the logins of all other users; their repositories stay. */
  keepOnly(names: readonly string[]): Promise<void>;
}

/** The API token with which pushes are posted, as its user sees it in a list. */
const TOKEN_NAME = 'git-push';
/** For the check of a login. */
const TIMEOUT_MS = 10_000;

/**
 * Starts the repository host, whose webhook deploys what is pushed. It is called with an API token of the owner, which
 * each start makes anew: wrong passwords, which whoever is on this machine can send, hold up no push.
 */
export async function startRepositories(options: RepositoriesOptions): Promise<Repositories> {
  const { dataDir, port, url, users, login, others, warn } = options;
  const passwords = new Map([login, ...others].map(({ user, password }) => [user, password]));
  const tokenOf = (one: Login) => users.renewToken(one, TOKEN_NAME);
  const owners = await Promise.all(others.map(async (one) => [one.user, await tokenOf(one)] as const));
  const host = await startRepoHost({
    dataDir: join(dataDir, 'repositories'),
    port,
    // A repository deploys its default branch, which is what was pushed to it first.
    webhook: {
      url: `${url}/1/deploy?branch={default_branch}`,
      user: login.user,
      secret: await tokenOf(login),
      owners: Object.fromEntries(owners),
    },
    verify: verifier(passwords, options.verify),
    follower: fileURLToPath(new URL('../show/follow-push.ts', import.meta.url)),
    log: warn,
  });
  return {
    host,
    takeIn: async (one) => {
      const isNew = !passwords.has(one.user);
      passwords.set(one.user, one.password);
      if (isNew) await host.addOwner({ user: one.user, secret: await tokenOf(one) });
    },
    keepOnly: async (names) => {
      for (const user of passwords.keys()) if (!names.includes(user)) passwords.delete(user);
      await host.keepOwners(names);
    },
  };
}

/** Returns the repository host at that port, which runs in this process: its client needs no connection. */
export function ownHost(
  port: number,
  host: () => RepoHost | undefined,
): Required<Pick<EngineSettings, 'hostClient' | 'ownHost'>> {
  const api = localApi(port);
  const started = () => {
    const running = host();
    if (!running) throw new Error('The repository host has not started yet.');
    return running;
  };
  return {
    hostClient: (address) => (address === api ? async (request) => started().request(request) : undefined),
    ownHost: {
      name: OWN_HOST,
      makeDefault: async (repository, branch) => started().makeDefault(repository, branch),
    },
  };
}

/** The passwords of this machine are known, so that a push with one need not wait for those who guess. */
function verifier(passwords: ReadonlyMap<string, string>, ask: VerifyLogin): VerifyLogin {
  return async (user, secret) => {
    const known = passwords.get(user);
    return (known !== undefined && sameSecret(secret, known)) || ask(user, secret);
  };
}

/**
 * Returns a function that asks the platform whether a login is valid: the user's password or API token. It rejects when
 * the platform does not answer.
 */
export function platformLogin(platformUrl: string): VerifyLogin {
  return async (user, secret) => {
    const authorization = basicHeader(`${user}:${secret}`);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await localFetch(`${platformUrl}/auth`, { headers: { authorization }, signal });
    const body: unknown = JSON.parse(await response.text());
    if (response.status === 429) throw new LoginThrottled(response.headers.get('retry-after') ?? '1');
    if (response.status === 401 || response.status === 403) return false;
    if (!response.ok) throw new Error(`The platform answered a login with ${response.status}.`);
    // A platform may accept an alias; the alias may be the name of another owner here.
    return typeof body === 'object' && body !== null && 'user' in body && body.user === user;
  };
}

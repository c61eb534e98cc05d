import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sameSecret } from '../../../functions/core/secrets.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EngineSettings } from '../../engine/settings.ts';
import { makeDefault } from '../../repohost/git/revisions.ts';
import { localHost, type OpenRepositories } from '../../repohost/local-host.ts';
import type { Receiver } from '../../repohost/push/receiver.ts';
import { openRepositories, type RepoHost, startRepoHost } from '../../repohost/repohost.ts';
import { OWN_HOST } from '../config/settings.ts';
import { type Login, listUsers, readLogin } from '../config/users.ts';
import { follow, pageOf } from '../show/follow-push.ts';
import { ownClient } from '../show/own-client.ts';
import type { PassedPort } from './platform.ts';

interface RepositoriesOptions {
  readonly dataDir: string;
  readonly port: PassedPort;
  /** Address of the service in what is recorded. */
  readonly base: string;
  readonly engine: Engine;
  readonly login: Login;
  readonly warn: (sentence: string) => void;
}

export interface Repositories {
  readonly host: RepoHost;
  /** Reads the logins of the users again, and forgets those of all but these; their repositories stay. */
  changed(names: readonly string[]): Promise<void>;
}

/** Opens the repositories of the service's data folder. */
export function openOwn(dataDir: string): Promise<OpenRepositories> {
  return openRepositories(join(dataDir, 'repositories'));
}

export function ownHost(open: OpenRepositories): NonNullable<EngineSettings['ownHost']> {
  const { git, folders } = open;
  return {
    name: OWN_HOST,
    open: (verify) => localHost(open, { name: OWN_HOST, verify }),
    makeDefault: (repository, branch) => makeDefault({ git, folder: folders.ofRepository(repository) }, branch),
  };
}

/** Starts the repository host, which has the engine record what is pushed. */
export async function startRepositories(open: OpenRepositories, options: RepositoriesOptions): Promise<Repositories> {
  const { dataDir, port, engine, warn } = options;
  const logins = () => listUsers(dataDir).map((user) => readLogin(dataDir, user));
  const passwords = new Map(logins().map(({ user, password }) => [user, password]));
  const host = await startRepoHost(open, {
    ...port,
    // Those who guess passwords do not hold up a push with the right one.
    verify: async (user, secret) => {
      const password = passwords.get(user);
      return (password !== undefined && sameSecret(secret, password)) || engine.verify(user, secret);
    },
    receiver: receiverOf({ ...options, isUser: (name) => passwords.has(name) }),
    // The key of the log is made with it, and stays as it is.
    since: statSync(join(dataDir, 'token.key')).mtimeMs,
    log: warn,
  });
  return {
    host,
    changed: async (names) => {
      for (const { user, password } of logins()) passwords.set(user, password);
      for (const user of passwords.keys()) if (!names.includes(user)) passwords.delete(user);
    },
  };
}

interface ReceiverOptions extends Pick<RepositoriesOptions, 'engine' | 'base' | 'login'> {
  readonly isUser: (name: string) => boolean;
}

/** A push is recorded in the log of the repository's owner, or else in that of the first user. */
function receiverOf({ engine, base, login, isUser }: ReceiverOptions): Receiver {
  const userOf = (owner: string) => (isUser(owner) ? owner : login.user);
  return {
    accept: async (moved) => {
      const { id, status, doc } = await engine.push(moved, { user: userOf(moved.owner), base });
      // A comparison may have found the push, and deployed it, before its hook has come.
      const isFollowed = doc?.finished_at === null || status === 'ok';
      return { status, reason: doc?.reason ?? null, entry: id, page: pageOf(id), isFollowed };
    },
    missedAfter: async (tip) => {
      const missed = await engine.missedAfter(tip, userOf(tip.owner));
      // What users who were removed have left is not the first user's.
      return missed?.before === null && !isUser(tip.owner) ? null : missed;
    },
    deployedBy: (repository, branch) => engine.deployedBy(repository, { user: userOf(repository.owner), branch }),
    follow: ({ entry }, watching) =>
      follow({ entry, client: (user) => ownClient(engine, { user, base }), ...watching }),
  };
}

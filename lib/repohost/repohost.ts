import { chmodSync, mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { resolve } from 'node:path';
import { OperatorError } from '../processes/operator-error.ts';
import { listen, type ReservedPort } from '../processes/ports.ts';
import { repoHostServer } from './api/server.ts';
import { buildHookProgram } from './delivery/hook.ts';
import { pendingDeliveriesIn } from './delivery/pending-deliveries.ts';
import { type Redelivery, type RedeliveryReport, startRedelivery } from './delivery/redelivery.ts';
import { archiveLinks } from './git/archive.ts';
import { gitCommand } from './git/git.ts';
import { announce, type RunningHost, withdraw } from './running.ts';
import { type CommitStatuses, commitStatusesIn, type StoredStatus } from './store/commit-statuses.ts';
import { type Folders, folders } from './store/folders.ts';
import { type CreateOptions, type Repositories, repositoriesIn } from './store/repositories.ts';
import { type NewToken, type Tokens, tokensIn } from './store/tokens.ts';

export interface RepoHostOptions {
  /** Folder of repositories, statuses, tokens and pending deliveries; made when absent, kept for the next start. */
  readonly dataDir: string;
  /** 0 for any free one. */
  readonly port: number | ReservedPort;
  /** The address that pushes are posted to, and the login for it. */
  readonly webhook: RunningHost['webhook'];
  /** The git command; `git`. */
  readonly git?: string;
  /** Takes lines for the operator; none holds a secret. */
  readonly log?: (line: string) => void;
}

/** The embedded repository host, running on 127.0.0.1. */
export interface RepoHost {
  readonly url: string;
  /** Base address of the REST API, for the GitHub adapter: the same address. */
  readonly api: string;
  /** Creates an empty repository; an existing one is left as it is. Throws an `OperatorError` for an invalid name. */
  createRepository(owner: string, name: string, options?: CreateOptions): Promise<void>;
  /** Returns the bare repository's folder: `git push <folder> main` works even while the host does not run. */
  repositoryPath(owner: string, name: string): string;
  /** Returns the address for `git clone`; a push to it needs the webhook's login or an access token. */
  cloneUrl(owner: string, name: string): string;
  /** Returns the commit statuses, newest first. */
  statuses(owner: string, name: string, sha: string): Promise<readonly StoredStatus[]>;
  /** Creates an access token for a user and returns it; only its digest is stored. */
  createToken(token: NewToken): string;
  /** Sends pending deliveries now. This also happens at the start and while the service does not answer. */
  redeliver(): Promise<RedeliveryReport>;
  close(): Promise<void>;
}

/**
 * Starts the repository host of one machine: bare git repositories behind the endpoints of GitHub's REST API that
 * the service calls, with a webhook for each push. Throws an `OperatorError` when git is missing or the port is taken.
 */
export async function startRepoHost(options: RepoHostOptions): Promise<RepoHost> {
  const { log = () => {}, webhook } = options;
  const place = folders(resolve(options.dataDir));
  const git = gitCommand(options.git);
  await git.read(['version']);
  makePrivate(place);
  const repositories = repositoriesIn(place, git);
  await buildHookProgram(place.hookProgram);
  repositories.refreshHooks();
  const statuses = commitStatusesIn(place);
  const tokens = tokensIn(place.tokens);
  let url = '';
  const links = archiveLinks();
  const server = repoHostServer({
    git,
    folders: place,
    repositories,
    statuses,
    links,
    tokens,
    webhook,
    log,
    url: () => url,
  });
  url = `http://127.0.0.1:${await listenOrExplain(server, options.port)}`;
  const running = await announce(place.running, { url, webhook });
  const redelivery = startRedelivery({
    context: { git, folders: place, pending: pendingDeliveriesIn(place.deliveries) },
    running,
    log,
  });
  return openHost({ url, place, repositories, statuses, tokens, redelivery, server });
}

interface Components {
  readonly url: string;
  readonly place: Folders;
  readonly repositories: Repositories;
  readonly statuses: CommitStatuses;
  readonly tokens: Tokens;
  readonly redelivery: Redelivery;
  readonly server: Server;
}

function openHost({ url, place, repositories, statuses, tokens, redelivery, server }: Components): RepoHost {
  return {
    url,
    api: url,
    createRepository: (owner, name, options) => repositories.create({ owner, name }, options),
    repositoryPath: (owner, name) => place.ofRepository({ owner, name }),
    cloneUrl: (owner, name) => `${url}/${owner}/${name}.git`,
    statuses: (owner, name, sha) => statuses.list({ owner, name }, sha),
    createToken: tokens.add,
    redeliver: redelivery.round,
    async close() {
      withdraw(place.running);
      await redelivery.stop();
      server.closeAllConnections();
      if (server.listening) await new Promise((closed) => server.close(closed));
    },
  };
}

function makePrivate(place: Folders): void {
  mkdirSync(place.root, { recursive: true, mode: 0o700 });
  chmodSync(place.root, 0o700);
}

async function listenOrExplain(server: Server, port: number | ReservedPort): Promise<number> {
  try {
    return await listen(server, port);
  } catch (cause) {
    const number = typeof port === 'number' ? port : port.port;
    throw new OperatorError(`The repository host could not listen on port ${number}: choose another one.`, { cause });
  }
}

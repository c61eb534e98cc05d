import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { resolve } from 'node:path';
import { OperatorError } from '../files/errors.ts';
import { listen, type ReservedPort } from '../http/ports.ts';
import type { VerifyLogin } from './api/access.ts';
import { answerOwn, type OwnAnswer, type OwnRequest } from './api/in-process.ts';
import { repoHostServer } from './api/server.ts';
import { attendedPushes } from './delivery/attended-pushes.ts';
import { bundleProgram } from './delivery/hook.ts';
import { pendingDeliveriesIn } from './delivery/pending-deliveries.ts';
import { type RedeliveryReport, startRedelivery } from './delivery/redelivery.ts';
import { archiveLinks } from './git/archive.ts';
import { gitBackend } from './git/backend.ts';
import { type Git, gitCommand } from './git/git.ts';
import { makeDefault } from './git/revisions.ts';
import { announce, type RunningHost, type Webhook, webhookSecret, withdraw } from './running.ts';
import { adoption, watchFolders } from './store/adopt.ts';
import { commitStatusesIn, type StoredStatus } from './store/commit-statuses.ts';
import { type Folders, folders, type RepositoryName } from './store/folders.ts';
import { type CreateOptions, repositoriesIn } from './store/repositories.ts';
import { type NewToken, tokensIn } from './store/tokens.ts';

export interface RepoHostOptions {
  /** Folder of repositories, statuses, tokens and pending deliveries; made when absent, kept for the next start. */
  readonly dataDir: string;
  /** 0 for any free one. */
  readonly port: number | ReservedPort;
  /** The address that pushes are posted to, and the login for it, with which its user may also push. */
  readonly webhook: Webhook;
  /**
   * Verifies other logins of people who clone and push; without it, only the webhook's logins and access tokens are
   * valid.
   */
  readonly verify?: VerifyLogin;
  /**
   * Source of a module that exports a `Follow` by the name of `follow`: after a push it shows the user who pushed what
   * becomes of it.
   */
  readonly follower?: string;
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
  /** Answers a request to `api` without a connection, for callers in this process. */
  request(request: OwnRequest): Promise<OwnAnswer>;
  /**
   * Creates an empty repository and resolves with true; an existing one is left as it is. Throws an `OperatorError` for
   * an invalid name.
   */
  createRepository(owner: string, name: string, options?: CreateOptions): Promise<boolean>;
  /** Returns the bare repository's folder: `git push <folder> main` works even while the host does not run. */
  repositoryPath(owner: string, name: string): string;
  /** Makes a branch the default branch of a repository: it is what the webhook calls for, at its next push. */
  makeDefault(repository: RepositoryName, branch: string): Promise<void>;
  /** Returns the address for `git clone`; a push to it needs the webhook's login or an access token. */
  cloneUrl(owner: string, name: string): string;
  /** Returns the commit statuses, newest first. */
  statuses(owner: string, name: string, sha: string): Promise<readonly StoredStatus[]>;
  /** Creates an access token for a user and returns it; only its digest is stored. */
  createToken(token: NewToken): string;
  /** Posts the pushes of an owner with a login of the owner's from now on. */
  addOwner(login: { readonly user: string; readonly secret: string }): Promise<void>;
  /** Removes the logins and access tokens of all other owners; their repositories stay. */
  keepOwners(names: readonly string[]): Promise<void>;
  /** Sends pending deliveries now. This also happens at the start and while the service does not answer. */
  redeliver(): Promise<RedeliveryReport>;
  close(): Promise<void>;
}

/**
 * Starts the repository host of one machine: bare git repositories behind the endpoints of GitHub's REST API that
 * the service calls, with a webhook for each push. Throws an `OperatorError` when git is missing or the port is taken.
 */
export async function startRepoHost(options: RepoHostOptions): Promise<RepoHost> {
  const { log = () => {} } = options;
  const place = folders(resolve(options.dataDir));
  const git = gitCommand(options.git);
  await git.read(['version']);
  makePrivate(place);
  const backend = await gitBackend(git, place.groups);
  const stores = openStores(place, git);
  await buildPrograms(place, options.follower);
  const unattended = new Set<string>();
  const adopt = adoption({ git, folders: place, ...stores, unattended, log });
  await adopt();
  await stores.repositories.refreshHooks();

  let running: RunningHost = { pid: 0, url: '', webhook: options.webhook };
  const logins = {
    tokens: stores.tokens,
    webhookSecret: (user: string) => webhookSecret(running.webhook, user),
    verify: options.verify ?? (async () => false),
  };
  const context = { git, folders: place, pending: stores.pending };
  const pushes = attendedPushes(context, () => running);
  const served = { ...stores, git, backend, folders: place, logins, pushes, log, url: () => running.url };
  const server = repoHostServer(served);
  const announceAs = async (host: Pick<RunningHost, 'url' | 'webhook'>) => {
    running = await announce(place.running, host);
  };
  const url = `http://127.0.0.1:${await listenOrExplain(server, options.port)}`;
  await announceAs({ url, webhook: options.webhook });
  const redelivery = startRedelivery({ context, running: () => running, unattended, log });
  const watch = watchFolders(async () => {
    if ((await adopt()).length > 0) await redelivery.round();
  }, log);
  return {
    ...methodsOf(url, place, stores),
    request: (request) => answerOwn(served, request),
    makeDefault: (repository, branch) => makeDefault({ git, folder: place.ofRepository(repository) }, branch),
    addOwner: ({ user, secret }) => {
      const { webhook } = running;
      return announceAs({ url, webhook: { ...webhook, owners: { ...webhook.owners, [user]: secret } } });
    },
    keepOwners: async (names) => {
      try {
        stores.tokens.keep(names);
      } catch (error) {
        // With tokens that cannot be read nobody logs in; that must not end the service.
        if (!(error instanceof OperatorError)) throw error;
        log(error.message);
      }
      const { webhook } = running;
      const owners = Object.entries(webhook.owners ?? {}).filter(([owner]) => names.includes(owner));
      await announceAs({ url, webhook: { ...webhook, owners: Object.fromEntries(owners) } });
    },
    redeliver: redelivery.round,
    async close() {
      withdraw(place.running);
      await watch.stop();
      await redelivery.stop();
      server.closeAllConnections();
      await pushes.settled();
      await backend.close();
      if (server.listening) await new Promise((closed) => server.close(closed));
    },
  };
}

/** Writes the program of the hooks, and that which follows a push, or removes an earlier one. */
async function buildPrograms(place: Folders, follower: string | undefined): Promise<void> {
  await bundleProgram(place.hookProgram);
  if (follower === undefined) rmSync(place.follower, { force: true });
  else await bundleProgram(place.follower, follower);
}

function openStores(place: Folders, git: Git) {
  return {
    repositories: repositoriesIn(place, git),
    statuses: commitStatusesIn(place),
    tokens: tokensIn(place.tokens),
    pending: pendingDeliveriesIn(place.deliveries),
    links: archiveLinks(),
  };
}

/** Returns the methods that need only the files. */
function methodsOf(url: string, place: Folders, { repositories, statuses, tokens }: ReturnType<typeof openStores>) {
  return {
    url,
    api: url,
    createRepository: (owner, name, options) => repositories.create({ owner, name }, options),
    repositoryPath: (owner, name) => place.ofRepository({ owner, name }),
    cloneUrl: (owner, name) => `${url}/${owner}/${name}.git`,
    statuses: (owner, name, sha) => statuses.list({ owner, name }, sha),
    createToken: tokens.add,
  } satisfies Partial<RepoHost>;
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

import { chmodSync, mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { resolve } from 'node:path';
import { keyedMutex } from '../../functions/core/concurrency.ts';
import type { VerifyLogin } from '../../functions/core/ports/accounts.ts';
import { OperatorError } from '../files/errors.ts';
import { listen } from '../http/ports.ts';
import { listenBehind } from '../http/proxy-protocol.ts';
import { gitBackend } from './git/backend.ts';
import { gitCommand } from './git/git.ts';
import type { OpenRepositories } from './local-host.ts';
import { attendedPushes } from './push/attended-pushes.ts';
import { bundleProgram } from './push/hook.ts';
import { listenForHooks } from './push/hook-socket.ts';
import { missedPushes } from './push/missed.ts';
import type { Receiver } from './push/receiver.ts';
import { repoHostServer } from './server/server.ts';
import { folders } from './store/folders.ts';
import { type CreateOptions, repositoriesIn } from './store/repositories.ts';

export interface RepoHostOptions {
  /** 0 for any free one. */
  readonly port: number;
  /** The socket of the file system to which another program passes on the connections of the port. */
  readonly behind?: string | undefined;
  /** Verifies the logins of people who clone and push. */
  readonly verify: VerifyLogin;
  /** Records and deploys what is pushed. */
  readonly receiver: Receiver;
  /** When the log of pushes began, in milliseconds since 1970; 0 by default. */
  readonly since?: number;
  /** Takes lines for the operator; none holds a secret. */
  readonly log?: (line: string) => void;
}

/** The embedded repository host, running on 127.0.0.1. */
export interface RepoHost {
  readonly url: string;
  /**
   * Creates an empty repository and resolves with true; an existing one is left as it is. Throws an `OperatorError` for
   * an invalid name.
   */
  createRepository(owner: string, name: string, options?: CreateOptions): Promise<boolean>;
  /** Returns the bare repository's folder: `git push <folder> main` works even while the host does not run. */
  repositoryPath(owner: string, name: string): string;
  /** Returns the address for `git clone`; a push to it needs the owner's login. */
  cloneUrl(owner: string, name: string): string;
  /** Records missed pushes, now and from then on whenever a default branch has moved. */
  compare(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the repositories of a data folder, which is made when absent, before anybody may push. Throws an `OperatorError`
 * when git is missing.
 */
export async function openRepositories(dataDir: string, git = gitCommand()): Promise<OpenRepositories> {
  const place = folders(resolve(dataDir));
  await git.read(['version']);
  mkdirSync(place.root, { recursive: true, mode: 0o700 });
  chmodSync(place.root, 0o700);
  return { git, folders: place, repositories: repositoriesIn(place, git) };
}

/**
 * Starts the repository host of one machine: git over HTTP, and a hook for each push over HTTP or into a folder. Throws an
 * `OperatorError` when the port is taken.
 */
export async function startRepoHost(open: OpenRepositories, options: RepoHostOptions): Promise<RepoHost> {
  const { verify, receiver, since = 0, log = () => {} } = options;
  const { git, folders: place, repositories } = open;
  const backend = await gitBackend(git, place.groups);
  await bundleProgram(place.hookProgram);
  await repositories.refreshHooks();

  const context = { git, folders: place, receiver, oneAtATime: keyedMutex() };
  const pushes = attendedPushes(context, log);
  const server = repoHostServer({ ...open, backend, verify, pushes, log, url: () => url });
  const url = `http://127.0.0.1:${await listenOrExplain(server, options)}`;
  const leaveHooks = await listenForHooks(place.root, pushes);
  const missed = missedPushes({ ...context, repositories, since, log });
  const watch = repeated(missed, log);
  return {
    url,
    createRepository: (owner, name, created) => repositories.create({ owner, name }, created),
    repositoryPath: (owner, name) => place.ofRepository({ owner, name }),
    cloneUrl: (owner, name) => `${url}/${owner}/${name}.git`,
    compare: async () => {
      await missed();
      watch.start();
    },
    async close() {
      await watch.stop();
      server.closeAllConnections();
      await leaveHooks();
      // A hook that hangs reports nothing before the backend ends it.
      await Promise.all([pushes.settled(), backend.close()]);
      if (server.listening) await new Promise((closed) => server.close(closed));
    },
  };
}

/** Not the events of the file system: they differ between systems, and a push is not a single event. */
const INTERVAL_MS = 2000;

/** Repeats a look every two seconds from its start on; `stop` resolves when none is under way. */
function repeated(look: () => Promise<void>, log: (line: string) => void) {
  let current: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const turn = () => {
    current ??= look()
      .catch((error: unknown) => log(`The folder of the repositories cannot be read: ${String(error)}`))
      .finally(() => {
        current = undefined;
      });
  };
  return {
    start: () => {
      timer ??= setInterval(turn, INTERVAL_MS).unref();
    },
    stop: async () => {
      clearInterval(timer);
      await current;
    },
  };
}

async function listenOrExplain(
  server: Server,
  { port, behind }: Pick<RepoHostOptions, 'port' | 'behind'>,
): Promise<number> {
  if (behind !== undefined) {
    await listenBehind(server, behind);
    return port;
  }
  try {
    return await listen(server, port);
  } catch (cause) {
    throw new OperatorError(`The repository host could not listen on port ${port}: choose another one.`, { cause });
  }
}

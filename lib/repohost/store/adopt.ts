import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from '../git/git.ts';
import { branchesIn, settleDefaultBranch } from '../git/revisions.ts';
import { installHook, isOwnHook } from '../push/hook.ts';
import { configure, isBareRepository } from './bare-repository.ts';
import { type Folders, hasRecord, isRepositoryName, writeRecord } from './folders.ts';
import type { Repositories } from './repositories.ts';

interface AdoptionOptions {
  readonly git: Git;
  readonly folders: Folders;
  readonly repositories: Pick<Repositories, 'folders'>;
  readonly log: (line: string) => void;
}

/**
 * Returns a function that takes in what `git init --bare` or `git clone --bare` has put into the folder of the
 * repositories, and repairs repositories whose hook is gone. A repository with a hook of its user is left as it is, and
 * said so once.
 */
export function adoption({ log, ...options }: AdoptionOptions): () => Promise<void> {
  const refused = new Set<string>();
  const refuse = (folder: string, why: string) => {
    if (!refused.has(folder)) log(`The repository ${folder} is not served: ${why}.`);
    refused.add(folder);
  };
  return async () => {
    for (const repository of options.repositories.folders()) {
      const { owner, name, folder } = repository;
      const hook = join(folder, 'hooks', 'post-receive');
      if ((hasRecord(folder) && existsSync(hook)) || !isBareRepository(folder)) continue;
      if (!isRepositoryName(repository)) refuse(folder, 'its name is not one that this host accepts');
      else if (existsSync(hook) && !isOwnHook(hook)) refuse(folder, 'it has its own post-receive hook');
      else {
        await takeIn(repository, options);
        log(`The repository ${owner}/${name} was found in the folder; a push to it deploys from now on.`);
      }
    }
  };
}

async function takeIn(
  { owner, name, folder }: ReturnType<Repositories['folders']>[number],
  { git, folders }: Omit<AdoptionOptions, 'log'>,
): Promise<void> {
  const bare = { git, folder };
  configure(folder);
  await settleDefaultBranch(bare, await branchesIn(bare));
  // The hook needs the record.
  if (!hasRecord(folder)) writeRecord(folder, { owner, name, private: false });
  installHook(folder, folders.hookProgram, folders.root);
}

/** Not the events of the file system: they differ between systems, and a repository is not a single event. */
const INTERVAL_MS = 2000;

/** Looks for new repositories every two seconds; `stop` resolves when no look is under way. */
export function watchFolders(look: () => Promise<void>, log: (line: string) => void): { stop(): Promise<void> } {
  let current = Promise.resolve();
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    current = look()
      .catch((error: unknown) => log(`The folder of the repositories cannot be read: ${String(error)}`))
      .finally(() => {
        looking = false;
      });
  }, INTERVAL_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await current;
    },
  };
}

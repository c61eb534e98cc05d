import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installHook, isOwnHook } from '../delivery/hook.ts';
import type { PendingDeliveries } from '../delivery/pending-deliveries.ts';
import type { Git } from '../git/git.ts';
import { defaultBranch, settleDefaultBranch } from '../git/revisions.ts';
import { configure, isBareRepository } from './bare-repository.ts';
import { type Folders, hasRecord, isRepositoryName, type RepositoryName, writeRecord } from './folders.ts';
import type { Repositories } from './repositories.ts';

interface AdoptionOptions {
  readonly git: Git;
  readonly folders: Folders;
  readonly repositories: Pick<Repositories, 'folders'>;
  readonly pending: PendingDeliveries;
  /** Ids of deliveries without a hook, which the host sends. */
  readonly unattended: Set<string>;
  readonly log: (line: string) => void;
}

interface Found extends RepositoryName {
  readonly folder: string;
}

/**
 * Returns a function that takes in what `git init --bare` or `git clone --bare` has put into the folder of the
 * repositories, and repairs repositories whose hook is gone. Pushes to them were not seen, so their default branch
 * becomes a pending delivery. It resolves with the repositories that it took in; a repository with a hook of its user
 * is left as it is, and said so once.
 */
export function adoption({ log, ...options }: AdoptionOptions): () => Promise<readonly RepositoryName[]> {
  const refused = new Set<string>();
  const refuse = (folder: string, why: string) => {
    if (!refused.has(folder)) log(`The repository ${folder} is not served: ${why}.`);
    refused.add(folder);
  };
  return async () => {
    const taken: RepositoryName[] = [];
    for (const found of options.repositories.folders()) {
      const { owner, name, folder } = found;
      const hook = join(folder, 'hooks', 'post-receive');
      if ((hasRecord(folder) && existsSync(hook)) || !isBareRepository(folder)) continue;
      if (!isRepositoryName(found)) refuse(folder, 'its name is not one that this host accepts');
      else if (existsSync(hook) && !isOwnHook(hook)) refuse(folder, 'it has its own post-receive hook');
      else {
        await takeIn(found, options);
        taken.push({ owner, name });
        log(`The repository ${owner}/${name} was found in the folder; a push to it deploys from now on.`);
      }
    }
    return taken;
  };
}

async function takeIn(
  { owner, name, folder }: Found,
  { git, folders, pending, unattended }: Omit<AdoptionOptions, 'log'>,
): Promise<void> {
  const bare = { git, folder };
  configure(folder);
  const branches = await git.read(['-C', folder, 'for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads']);
  await settleDefaultBranch(bare, branches.split('\n').filter(Boolean));
  // The hook needs the record.
  if (!hasRecord(folder)) writeRecord(folder, { owner, name, private: false });
  installHook(folder, folders.hookProgram, folders.root);
  // After the hook: a push that comes now is delivered twice rather than never.
  const head = await git.ask(['-C', folder, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  const branch = await defaultBranch(bare);
  if (head === null || branch === null) return;
  const after = head.trim();
  const move = { owner, name, ref: `refs/heads/${branch}`, before: '0'.repeat(after.length), after, pusher: owner };
  unattended.add(pending.add(move).id);
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

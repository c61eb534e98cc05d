import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import type { Git } from '../git/git.ts';
import { installHook } from '../push/hook.ts';
import { configure, initialise } from './bare-repository.ts';
import {
  checkRepositoryName,
  type Folders,
  hasRecord,
  isRepositoryName,
  type RepositoryName,
  type RepositoryRecord,
  readRecord,
  writeRecord,
} from './folders.ts';

export interface CreateOptions {
  /** Whether only the owner's tokens may read it. */
  readonly private?: boolean;
  /** The default branch until the first push; `master` when absent. */
  readonly defaultBranch?: string;
}

type StoredRepository = RepositoryRecord & { readonly folder: string };

export interface Repositories {
  /** Creates an empty repository; an existing one is left as it is. Resolves with whether it has made one. */
  create(repository: RepositoryName, options?: CreateOptions): Promise<boolean>;
  /** Returns a repository and its folder, or null, also for invalid names. */
  find(repository: RepositoryName): StoredRepository | null;
  /** Returns the folders that may be repositories, each with the owner and the name that it stands for. */
  folders(): readonly (RepositoryName & { readonly folder: string })[];
  /** Returns the folder of an empty repository, which has no owner. */
  empty(): Promise<string>;
  /** Rewrites hook and settings of every repository: node, this project or the data folder may have moved. */
  refreshHooks(): Promise<void>;
}

export function repositoriesIn(folders: Folders, git: Git): Repositories {
  const install = (folder: string) => installHook(folder, folders.hookProgram, folders.root);
  // Two first pushes at once make one repository.
  const oneAtATime = keyedMutex();
  const all = () => foldersIn(folders.repositories);
  return {
    async create(repository, options = {}) {
      checkRepositoryName(repository);
      const folder = folders.ofRepository(repository);
      return oneAtATime(folder, () =>
        build(folder, async (next) => {
          await initialise(git, next, options.defaultBranch ?? 'master');
          writeRecord(next, { ...repository, private: options.private ?? false });
          install(next);
        }),
      );
    },
    find(repository) {
      if (!isRepositoryName(repository)) return null;
      const folder = folders.ofRepository(repository);
      return hasRecord(folder) ? { ...readRecord(folder), folder } : null;
    },
    folders: all,
    async empty() {
      await oneAtATime(folders.empty, () => build(folders.empty, (next) => initialise(git, next, 'master')));
      return folders.empty;
    },
    async refreshHooks() {
      for (const { folder } of all()) {
        if (!hasRecord(folder)) continue;
        configure(folder);
        install(folder);
      }
    },
  };
}

/**
 * Makes a folder under another name and then renames it: a crash leaves nothing incomplete. False when there is one.
 */
async function build(folder: string, make: (next: string) => Promise<void>): Promise<boolean> {
  if (existsSync(folder)) return false;
  const next = `${folder}.next`;
  mkdirSync(dirname(folder), { recursive: true });
  rmSync(next, { recursive: true, force: true });
  await make(next);
  renameSync(next, folder);
  return true;
}

function foldersIn(root: string): (RepositoryName & { readonly folder: string })[] {
  return subfolders(root).flatMap((owner) =>
    subfolders(join(root, owner))
      .filter((name) => name.endsWith('.git'))
      .map((name) => ({ owner, name: name.slice(0, -'.git'.length), folder: join(root, owner, name) })),
  );
}

function subfolders(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [] : [entry.name]));
}

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../processes/operator-error.ts';
import { installHook } from '../delivery/hook.ts';
import { type RepositoryRecord, readRecord, writeRecord } from '../delivery/record.ts';
import type { Git } from '../git/git.ts';
import type { Folders } from './folders.ts';
import { checkRepositoryName, isRepositoryName, type RepositoryName } from './names.ts';

export interface CreateOptions {
  /** Whether only the owner's tokens may read it. */
  readonly private?: boolean;
  /** The default branch until the first push; `master` when absent. */
  readonly defaultBranch?: string;
}

/** The bare repositories of the host. */
export interface Repositories {
  /** Creates an empty repository; an existing one is left as it is. */
  create(repository: RepositoryName, options?: CreateOptions): Promise<void>;
  /** Returns a repository and its folder, or null, also for invalid names. */
  find(repository: RepositoryName): (RepositoryRecord & { readonly folder: string }) | null;
  /** Rewrites the hook of every repository: node, this project or the data folder may have moved. */
  refreshHooks(): void;
}

export function repositoriesIn(folders: Folders, git: Git): Repositories {
  const install = (folder: string) => installHook(folder, folders.hookProgram, folders.root);
  return {
    async create(repository, options = {}) {
      checkRepositoryName(repository);
      const folder = folders.ofRepository(repository);
      if (existsSync(folder)) return;
      const { owner, name } = repository;
      const branch = options.defaultBranch ?? 'master';
      mkdirSync(dirname(folder), { recursive: true });
      // Created under another name and then renamed: a crash leaves no incomplete repository.
      const next = `${folder}.next`;
      rmSync(next, { recursive: true, force: true });
      await initialise(git, next, branch);
      writeRecord(next, { owner, name, private: options.private ?? false });
      install(next);
      renameSync(next, folder);
    },
    find(repository) {
      if (!isRepositoryName(repository)) return null;
      const folder = folders.ofRepository(repository);
      return existsSync(folder) ? { ...readRecord(folder), folder } : null;
    },
    refreshHooks() {
      for (const folder of allFolders(folders.repositories)) install(folder);
    },
  };
}

async function initialise(git: Git, folder: string, branch: string): Promise<void> {
  if ((await git.ask(['check-ref-format', '--branch', branch])) === null) {
    throw new OperatorError('The default branch of a repository must be a name that git accepts.');
  }
  // A template may hold hooks. HEAD is set separately, because `--initial-branch` needs git 2.28.
  await git.read(['init', '--quiet', '--bare', '--template=', folder]);
  await git.read(['-C', folder, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  // Otherwise the core.hooksPath of the user who pushes would take precedence.
  await git.read(['-C', folder, 'config', 'core.hooksPath', 'hooks']);
}

function allFolders(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root).flatMap((owner) =>
    readdirSync(join(root, owner))
      .filter((name) => name.endsWith('.git'))
      .map((name) => join(root, owner, name)),
  );
}

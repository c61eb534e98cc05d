import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../processes/operator-error.ts';
import { installHook } from '../delivery/hook.ts';
import { type RepositoryRecord, readRecord, writeRecord } from '../delivery/record.ts';
import type { Git } from '../git/git.ts';
import type { Folders } from './folders.ts';
import { checkRepositoryName, isRepositoryName, type RepositoryName } from './names.ts';

export interface CreateOptions {
  /** Seen with a token of the owner only. */
  readonly private?: boolean;
  /** Until the first push decides; `master`. */
  readonly defaultBranch?: string;
}

/** The bare repositories of the host. */
export interface Repositories {
  /** Makes an empty repository; one that is there already stays as it is. */
  create(repository: RepositoryName, options?: CreateOptions): Promise<void>;
  /** A repository and its folder, or null. Names from outside may be anything. */
  find(repository: RepositoryName): (RepositoryRecord & { readonly folder: string }) | null;
  /** Writes every repository's hook anew: node, this project or the data may have moved. */
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
      // Made aside and moved in one step: a crash leaves a whole repository or none.
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
  // No template: it may hold hooks. HEAD by hand: `--initial-branch` is younger than many a git.
  await git.read(['init', '--quiet', '--bare', '--template=', folder]);
  await git.read(['-C', folder, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  // A core.hooksPath of the person who pushes would otherwise win over the repository's own hooks.
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

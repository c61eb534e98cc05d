import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../processes/operator-error.ts';
import type { BareRepository, Git } from '../git/git.ts';

/** The host's settings in the configuration of each repository. */
const SETTINGS = [
  // Otherwise the core.hooksPath of the user who pushes would take precedence.
  ['core.hooksPath', 'hooks'],
  // For `git push -o nowait`.
  ['receive.advertisePushOptions', 'true'],
] as const;

/** Makes an empty bare repository. Throws an `OperatorError` when git does not accept the name of the branch. */
export async function initialise(git: Git, folder: string, branch: string): Promise<void> {
  if ((await git.ask(['check-ref-format', '--branch', branch])) === null) {
    throw new OperatorError('The default branch of a repository must be a name that git accepts.');
  }
  // A template may hold hooks. HEAD is set separately, because `--initial-branch` needs git 2.28.
  await git.read(['init', '--quiet', '--bare', '--template=', folder]);
  await git.read(['-C', folder, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  await configure({ git, folder });
}

/** Writes the host's settings into the configuration of a repository, unless they are there. */
export async function configure({ git, folder }: BareRepository): Promise<void> {
  const known = readFileSync(join(folder, 'config'), 'utf8').toLowerCase();
  for (const [name, value] of SETTINGS) {
    const [, key = ''] = name.split('.');
    if (!known.includes(`${key.toLowerCase()} = ${value}`)) await git.read(['-C', folder, 'config', name, value]);
  }
}

/** Whether a folder is a bare repository, as git recognises one. */
export function isBareRepository(folder: string): boolean {
  return ['HEAD', 'config', 'objects', 'refs'].every((name) => existsSync(join(folder, name)));
}

import type { BareRepository } from './git.ts';

/** The usual names of default branches; they take precedence when several branches are pushed at once. */
const USUAL = ['main', 'master'];

/** Returns the default branch of a repository: what HEAD names, whether it has commits or not. */
export async function defaultBranch({ git, folder }: BareRepository): Promise<string | null> {
  const head = await git.ask(['-C', folder, 'symbolic-ref', '--short', 'HEAD']);
  return head === null ? null : head.trim();
}

/**
 * Makes the first branch that is pushed to an empty repository its default branch, as on GitHub, so that it can be
 * cloned and is deployed. Of several branches it is `main` or `master`, else the first.
 */
export async function settleDefaultBranch({ git, folder }: BareRepository, branches: readonly string[]): Promise<void> {
  const branch = USUAL.find((name) => branches.includes(name)) ?? branches[0];
  if (branch === undefined || (await git.ask(['-C', folder, 'rev-parse', '--verify', '--quiet', 'HEAD'])) !== null)
    return;
  await git.ask(['-C', folder, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
}

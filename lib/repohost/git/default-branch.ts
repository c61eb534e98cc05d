import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BareRepository } from './git.ts';

/** The usual names of default branches; they take precedence when several branches are pushed at once. */
const USUAL = ['main', 'master'];

/** Returns the default branch of a repository: what HEAD names, whether it has commits or not. */
export async function defaultBranch({ git, folder }: BareRepository): Promise<string | null> {
  // A file in all repositories but those with `reftable`, where it names a branch that cannot exist.
  const file = await readFile(join(folder, 'HEAD'), 'utf8').catch(() => '');
  const named = /^ref: refs\/heads\/(?!\.invalid\n)(\S+)\n$/.exec(file)?.[1];
  if (named !== undefined) return named;
  const head = await git.ask(['-C', folder, 'symbolic-ref', '--short', 'HEAD']);
  return head === null ? null : head.trim();
}

/**
 * Makes the first branch that is pushed to an empty repository its default branch, as on GitHub, so that it can be
 * cloned and is deployed. Of several branches it is `main` or `master`, else the first. Returns the default branch.
 */
export async function settleDefaultBranch(
  { git, folder }: BareRepository,
  pushed: readonly string[],
): Promise<string | null> {
  const known = await defaultBranch({ git, folder });
  const branch = USUAL.find((name) => pushed.includes(name)) ?? pushed[0];
  if (branch === undefined || (known !== null && pushed.includes(known))) return known;
  if ((await git.ask(['-C', folder, 'rev-parse', '--verify', '--quiet', 'HEAD'])) !== null) return known;
  await git.ask(['-C', folder, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  return branch;
}

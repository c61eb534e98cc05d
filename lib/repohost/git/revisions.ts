import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MISSING, unless } from '../../files/errors.ts';
import type { BareRepository } from './git.ts';
import { findObject } from './object-lookup.ts';

/** Known commits by folder and id: a commit never changes, and each lookup starts a process. */
const commits = new Set<string>();
const MAX_CACHED_COMMITS = 10_000;

/** Lookups in progress, which concurrent requests for the same revision share. */
const lookups = new Map<string, Promise<string | null>>();

/** Returns the id of the commit that a branch, tag or id names, or null. Options and ranges are rejected. */
export async function findCommit(repository: BareRepository, revision: string): Promise<string | null> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(revision) || revision.includes('..')) return null;
  const key = `${repository.folder} ${revision}`;
  if (commits.has(key)) return revision;
  const lookup = lookups.get(key) ?? lookUp(repository, revision).finally(() => lookups.delete(key));
  lookups.set(key, lookup);
  return lookup;
}

async function lookUp(repository: BareRepository, revision: string): Promise<string | null> {
  const commit = await findObject(repository, `${revision}^{commit}`);
  if (commit === null) return null;
  if (commits.size >= MAX_CACHED_COMMITS) commits.clear();
  commits.add(`${repository.folder} ${commit.id}`);
  return commit.id;
}

/** The author or committer of a commit. */
interface Person {
  readonly name: string;
  readonly email: string;
}

interface Commit {
  readonly id: string;
  readonly tree: string;
  readonly message: string;
  /** RFC 3339, with the committer's offset. */
  readonly timestamp: string;
  readonly author: Person;
  readonly committer: Person;
}

const COMMIT_FORMAT = ['%H', '%T', '%cI', '%an', '%ae', '%cn', '%ce', '%B'].join('%n');

/** Returns the commit that a branch, a tag or an id names; undefined when there is none. */
export async function readCommit({ git, folder }: BareRepository, revision: string): Promise<Commit | undefined> {
  const text = await git.ask(['-C', folder, 'log', '--max-count=1', `--format=${COMMIT_FORMAT}`, revision]);
  if (text === null) return undefined;
  const [id = '', tree = '', timestamp = '', an = '', ae = '', cn = '', ce = '', ...message] = text.split('\n');
  return {
    id,
    tree,
    timestamp,
    message: message.join('\n').trimEnd(),
    author: { name: an, email: ae },
    committer: { name: cn, email: ce },
  };
}

/** A file of a commit's tree. */
interface Blob {
  readonly id: string;
  readonly bytes: number;
}

/**
 * Returns the file at a path of a commit, or `tree` for a folder. Links within the repository are followed, as on
 * GitHub.
 */
export async function findBlob(
  repository: BareRepository,
  commit: string,
  path: string,
): Promise<Blob | 'tree' | null> {
  // For a path that leads out of the repository git ends with an error.
  if (/[\n\0]/.test(path) || path.split('/').some((part) => part === '.' || part === '..')) return null;
  const object = await findObject(repository, `${commit}:${path}`);
  if (object?.type === 'tree') return 'tree';
  return object?.type === 'blob' ? { id: object.id, bytes: object.bytes } : null;
}

/** The numbers of commits that `head` is ahead of and behind `base`. */
interface Comparison {
  readonly ahead: number;
  readonly behind: number;
  readonly mergeBase: string;
}

/** Returns how two commits compare, or null when they have no common ancestor. */
export async function compareCommits(
  { git, folder }: BareRepository,
  base: string,
  head: string,
): Promise<Comparison | null> {
  const mergeBase = await git.ask(['-C', folder, 'merge-base', base, head]);
  if (mergeBase === null) return null;
  const counts = await git.read(['-C', folder, 'rev-list', '--left-right', '--count', `${base}...${head}`]);
  const [behind = 0, ahead = 0] = counts.trim().split('\t').map(Number);
  return { ahead, behind, mergeBase: mergeBase.trim() };
}

/** Whether a commit is in the history of another one. False for a commit that is gone from the repository. */
export async function isAncestor({ git, folder }: BareRepository, commit: string, of: string): Promise<boolean> {
  return (await git.ask(['-C', folder, 'merge-base', '--is-ancestor', commit, of])) !== null;
}

export async function branchesIn({ git, folder }: BareRepository): Promise<readonly string[]> {
  const names = await git.read(['-C', folder, 'for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads']);
  return names.split('\n').filter(Boolean);
}

/** The usual names of default branches; they take precedence when several branches are pushed at once. */
const USUAL = ['main', 'master'];

/** Returns the default branch of a repository: what HEAD names, whether it has commits or not. */
export async function defaultBranch({ git, folder }: BareRepository): Promise<string | null> {
  // A file in all repositories but those with `reftable`, where it names a branch that cannot exist.
  const file = (await unless(MISSING, readFile(join(folder, 'HEAD'), 'utf8'))) ?? '';
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
  const current = await defaultBranch({ git, folder });
  const branch = USUAL.find((name) => pushed.includes(name)) ?? pushed[0];
  if (branch === undefined || (current !== null && pushed.includes(current))) return current;
  if ((await git.ask(['-C', folder, 'rev-parse', '--verify', '--quiet', 'HEAD'])) !== null) return current;
  await makeDefault({ git, folder }, branch);
  return branch;
}

export async function makeDefault({ git, folder }: BareRepository, branch: string): Promise<void> {
  await git.read(['-C', folder, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
}

import type { BareRepository } from './git.ts';

/** Known commits by folder and id: a commit never changes, and each lookup starts a process. */
const known = new Set<string>();
const MAX_CACHED_COMMITS = 10_000;

/** Lookups in progress, which concurrent requests for the same revision share. */
const lookups = new Map<string, Promise<string | null>>();

/** Returns the id of the commit that a branch, tag or id names, or null. Options and ranges are rejected. */
export async function findCommit(repository: BareRepository, revision: string): Promise<string | null> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(revision) || revision.includes('..')) return null;
  const key = `${repository.folder} ${revision}`;
  if (known.has(key)) return revision;
  const lookup = lookups.get(key) ?? lookUp(repository, revision).finally(() => lookups.delete(key));
  lookups.set(key, lookup);
  return lookup;
}

async function lookUp({ git, folder }: BareRepository, revision: string): Promise<string | null> {
  const id = await git.ask(['-C', folder, 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`]);
  if (id === null) return null;
  if (known.size >= MAX_CACHED_COMMITS) known.clear();
  known.add(`${folder} ${id.trim()}`);
  return id.trim();
}

/** A file of a commit's tree. */
export interface Blob {
  readonly id: string;
  readonly bytes: number;
}

/**
 * Returns the file at a path of a commit, or `tree` for a folder. Links within the repository are followed, as on
 * GitHub.
 */
export async function findBlob(
  { git, folder }: BareRepository,
  commit: string,
  path: string,
): Promise<Blob | 'tree' | null> {
  if (/[\n\0]/.test(path)) return null;
  const command = ['-C', folder, 'cat-file', '--batch-check', '--follow-symlinks'];
  // Git exits with an error for a path that leads out of the repository.
  const [id = '', type, bytes] = ((await git.ask(command, `${commit}:${path}\n`)) ?? '').split(/[ \n]/);
  if (type === 'tree') return 'tree';
  return type === 'blob' ? { id, bytes: Number(bytes) } : null;
}

/** The numbers of commits that `head` is ahead of and behind `base`. */
export interface Comparison {
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

import type { Git } from './git.ts';

/** Commits that were found, by folder and id: a commit never changes, and each question starts a process. */
const found = new Set<string>();
const MOST_FOUND = 10_000;

/** Questions under way: a stage asks for several files of a commit at the same moment. */
const underWay = new Map<string, Promise<string | null>>();

/** The commit that a branch, a tag or an id names, or null; anything that could be an option or a range is nobody's name. */
export async function findCommit(git: Git, folder: string, revision: string): Promise<string | null> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(revision) || revision.includes('..')) return null;
  const key = `${folder} ${revision}`;
  if (found.has(key)) return revision;
  const asking = underWay.get(key) ?? askForCommit(git, folder, revision).finally(() => underWay.delete(key));
  underWay.set(key, asking);
  return asking;
}

async function askForCommit(git: Git, folder: string, revision: string): Promise<string | null> {
  const id = await git.ask(['-C', folder, 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`]);
  if (id === null) return null;
  if (found.size >= MOST_FOUND) found.clear();
  found.add(`${folder} ${id.trim()}`);
  return id.trim();
}

/** A file of a commit's tree. */
export interface Blob {
  readonly id: string;
  readonly bytes: number;
}

/** What a path of a commit's tree is; links within the repository are followed, as GitHub does. */
export async function findBlob(git: Git, folder: string, commit: string, path: string): Promise<Blob | 'tree' | null> {
  if (path.includes('\n')) return null;
  const command = ['-C', folder, 'cat-file', '--batch-check', '--follow-symlinks'];
  const [id = '', type, bytes] = (await git.read(command, `${commit}:${path}\n`)).split(/[ \n]/);
  if (type === 'tree') return 'tree';
  return type === 'blob' ? { id, bytes: Number(bytes) } : null;
}

/** How `head` stands to `base`. */
export interface Standing {
  readonly ahead: number;
  readonly behind: number;
  readonly mergeBase: string;
}

/** Null when the two have no commit in common. */
export async function compareCommits(git: Git, folder: string, base: string, head: string): Promise<Standing | null> {
  const mergeBase = await git.ask(['-C', folder, 'merge-base', base, head]);
  if (mergeBase === null) return null;
  const counts = await git.read(['-C', folder, 'rev-list', '--left-right', '--count', `${base}...${head}`]);
  const [behind = 0, ahead = 0] = counts.trim().split('\t').map(Number);
  return { ahead, behind, mergeBase: mergeBase.trim() };
}

import { badParameter } from '../errors.ts';
import type { CommitRef } from '../payload/delivery.ts';
import type { AppOwner } from './app-owner.ts';
import type { Entry } from './entry.ts';

const MAX_PATH_CHARACTERS = 250;

/**
 * Returns a folder of a repository as its segments, without slashes at the ends, empty for the root; null for a path that
 * leads out of it.
 */
export function folderOf(text: string): string | null {
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  const isUsable = !text.startsWith('/') && !segments.includes('..') && !/[\p{Cc}\p{Cs}\\]/u.test(text);
  return isUsable && text.length <= MAX_PATH_CHARACTERS ? segments.join('/') : null;
}

/**
 * Returns the folder that the parameter `path` names; undefined for the root of the repository. Throws
 * `request:bad_parameter` for a path that leads out of it.
 */
export function folderPath(text: string | undefined): string | undefined {
  const folder = folderOf(text ?? '');
  if (folder !== null) return folder || undefined;
  const detail =
    'The parameter path must be a folder of the repository, such as packages/web: relative and without "..".';
  throw badParameter(detail);
}

// Not `pr-7`, which a preview's application is called by.
const ENVIRONMENT = /^(?!pr-\d+$)[a-z\d]+(-[a-z\d]+)*$/;
const MAX_ENVIRONMENT_CHARACTERS = 40;

/** Returns the environment that the parameter names, in lower case. Throws `request:bad_parameter`. */
export function environmentNamed(text: string | undefined): string | undefined {
  const name = text?.toLowerCase();
  if (name === undefined || (ENVIRONMENT.test(name) && name.length <= MAX_ENVIRONMENT_CHARACTERS)) return name;
  const detail =
    `The parameter environment must be a word such as staging: up to ${MAX_ENVIRONMENT_CHARACTERS} letters, digits and ` +
    'single dashes between them, and not that of a preview (pr-7).';
  throw badParameter(detail);
}

/** The source of a deploy: a branch, for an environment if it names one, or for a preview a pull request. */
interface Tracked extends Pick<AppOwner, 'path' | 'environment' | 'pullRequest'> {
  readonly branch: string;
}

/**
 * Returns the key of what a hook deploys: a branch, the environment and the folder of the application when that is not
 * the root. Two applications of one repository are deployed from the same commits, and nothing of one may hold up the
 * other. A pull request has its own key, whatever its branch is called by now. The name of a branch is not empty and has
 * neither a colon nor a tilde (https://git-scm.com/docs/git-check-ref-format), so the key is unambiguous.
 */
export function trackOf({ branch, path, environment, pullRequest }: Tracked): string {
  const ofBranch = environment === undefined ? branch : `${branch}~${environment}`;
  const moves = pullRequest === undefined ? ofBranch : `:${pullRequest.number}`;
  return path === undefined ? moves : `${moves}:${path}`;
}

/** The key of the results of a commit on whatever branch and in whatever folder; `trackOf` returns no such key. */
export const EVERY_TRACK = ':';

/** Returns the key of the results that an entry waits for: a preview waits for whatever builds its commit. */
export function checksTrackOf(tracked: Tracked): string {
  return tracked.pullRequest === undefined ? trackOf(tracked) : EVERY_TRACK;
}

export function inFolder({ path }: Pick<AppOwner, 'path'>, file: string): string {
  return path === undefined ? file : `${path}/${file}`;
}

/** What every entry has that a stage of a deploy works on. */
export interface OnBranch {
  readonly repository: NonNullable<Entry['repository']>;
  readonly sha: string;
  readonly branch: string;
}

export function isOnBranch<E extends Pick<Entry, keyof OnBranch>>(entry: E): entry is E & OnBranch {
  return entry.repository !== null && entry.sha !== null && entry.branch !== null;
}

/** Returns the commit of an entry in the repository that its files are read from. */
export function sourceOf({ repository, sha, pullRequest }: Pick<Entry, 'pullRequest'> & OnBranch): CommitRef {
  const { host, owner, name } = repository;
  const [sourceOwner = owner, sourceName = name] = pullRequest?.source?.split('/') ?? [];
  return { host, owner: sourceOwner, name: sourceName, sha };
}

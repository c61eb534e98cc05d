import type { CommitRef } from '../payload/delivery.ts';
import type { AppOwner } from './app-owner.ts';
import type { Entry } from './entry.ts';

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

import type { Entry } from './entry.ts';

/**
 * Returns the key under which a deploy's tarball is staged: the same for every run of an entry, so that a second run
 * replaces the tarball of the first.
 */
export function tarballKey({ user, number, sha }: Pick<Entry, 'user' | 'number' | 'sha'>): string {
  return `${encodeURIComponent(user)}/${number}/${sha}.tar.gz`;
}

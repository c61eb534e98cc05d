import type { RepositoryRef } from '../payload/delivery.ts';
import type { Entry, PullRequestOf } from './entry.ts';

/**
 * The owner of an application: a repository and the folder in it, without `path` the root. A preview belongs to its pull
 * request, so that neither it nor an application of that name can replace the other.
 */
export interface AppOwner extends RepositoryRef {
  readonly path?: string;
  readonly pullRequest?: Pick<PullRequestOf, 'number' | 'parent'>;
}

/** Returns the owner of an entry's application; null for an entry without a repository. */
export function ownerOf(entry: Pick<Entry, 'repository' | 'path' | 'pullRequest'>): AppOwner | null {
  const { repository, path, pullRequest } = entry;
  if (!repository) return null;
  const { host, owner, name } = repository;
  const { number, parent } = pullRequest ?? {};
  return {
    ...{ host, owner, name },
    ...(path !== undefined && { path }),
    ...(number !== undefined && { pullRequest: { number, ...(parent !== undefined && { parent }) } }),
  };
}

/**
 * Returns the key that identifies an owner: hosts ignore the case of owners and names, and senders write them
 * differently.
 */
export function ownerKey({ host, owner, name, path = '', pullRequest }: AppOwner): string {
  const of = pullRequest === undefined ? '' : `#${pullRequest.number}`;
  return `${`${host}/${owner}/${name}`.toLowerCase()}${of}:${path}`;
}

/** Whether two are the same folder, or the same preview, of the same repository. */
export function isSameOwner(one: AppOwner, other: AppOwner): boolean {
  return ownerKey(one) === ownerKey(other);
}

/** Returns the owner of the application that a preview is made of. */
export function parentOf({ pullRequest: _, ...owner }: AppOwner): AppOwner {
  return owner;
}

/** Returns an owner for a sentence that names another one too: the host only where the two differ in it. */
export function inWords({ host, owner, name, path, pullRequest }: AppOwner, other: AppOwner): string {
  const at = host === other.host ? '' : ` at ${host}`;
  const preview = pullRequest === undefined ? '' : `the pull request ${pullRequest.number} of `;
  return `${preview}${path === undefined ? '' : `the folder ${path} of `}${owner}/${name}${at}`;
}

import type { RepositoryRef } from '../payload/delivery.ts';
import type { Entry } from './entry.ts';

/** The owner of an application: a repository and the folder in it; without `path` the root. */
export interface AppOwner extends RepositoryRef {
  readonly path?: string;
}

/** Returns the owner of an entry's application; null for an entry without a repository. */
export function ownerOf({ repository, path }: Pick<Entry, 'repository' | 'path'>): AppOwner | null {
  if (!repository) return null;
  const { host, owner, name } = repository;
  return { host, owner, name, ...(path !== undefined && { path }) };
}

/**
 * Returns the key that identifies an owner: hosts ignore the case of owners and names, and senders write them
 * differently.
 */
export function ownerKey({ host, owner, name, path = '' }: AppOwner): string {
  return `${`${host}/${owner}/${name}`.toLowerCase()}:${path}`;
}

/** Whether two are the same folder of the same repository. */
export function isSameOwner(one: AppOwner, other: AppOwner): boolean {
  return ownerKey(one) === ownerKey(other);
}

/** Returns an owner for a sentence that names another one too: the host only where the two differ in it. */
export function inWords({ host, owner, name, path }: AppOwner, other: AppOwner): string {
  const at = host === other.host ? '' : ` at ${host}`;
  return `${path === undefined ? '' : `the folder ${path} of `}${owner}/${name}${at}`;
}

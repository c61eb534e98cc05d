import type { RepositoryRef } from '../payload/delivery.ts';
import type { Entry } from './entry.ts';
import type { PullRequestOf } from './kinds.ts';

/**
 * The owner of an application: a repository and the folder in it, without `path` the root. The application of an
 * environment belongs to that, and a preview to its pull request, so that neither it nor an application of that name can
 * replace the other.
 */
export interface AppOwner extends RepositoryRef {
  /** The id that the host gives the repository; absent while none is known. */
  readonly id?: string | undefined;
  readonly path?: string | undefined;
  readonly environment?: string | undefined;
  readonly pullRequest?: Pick<PullRequestOf, 'number' | 'parent'> | undefined;
}

/** Returns the name of an environment's application or badge, or of a preview's; any other keeps its name. */
export function nameFor(
  name: string,
  { environment, pullRequest }: Pick<AppOwner, 'environment' | 'pullRequest'>,
): string {
  const added = pullRequest ? `pr-${pullRequest.number}` : environment;
  return added === undefined ? name : `${name}-${added}`;
}

/** Returns the owner of an entry's application; null for an entry without a repository. */
export function ownerOf(entry: Pick<Entry, 'repository' | 'path' | 'environment' | 'pullRequest'>): AppOwner | null {
  const { repository, path, environment, pullRequest } = entry;
  if (!repository) return null;
  const { host, owner, name, id } = repository;
  const of = pullRequest && { number: pullRequest.number, parent: pullRequest.parent };
  return { host, owner, name, id, path, environment, pullRequest: of };
}

/**
 * Returns the key that identifies an owner: hosts ignore the case of owners and names, and senders write them
 * differently.
 */
export function ownerKey(owner: AppOwner): string {
  return keyWith(`${owner.owner}/${owner.name}`, owner);
}

/** Returns the key by the id of the repository, which stays when it is renamed; null without one. */
export function ownerIdKey(owner: AppOwner): string | null {
  return owner.id === undefined ? null : keyWith(owner.id, owner);
}

function keyWith(repository: string, { host, path = '', environment, pullRequest }: AppOwner): string {
  const ofBranch = environment === undefined ? '' : `~${environment}`;
  const of = pullRequest === undefined ? ofBranch : `#${pullRequest.number}`;
  return `${`${host}/${repository}`.toLowerCase()}${of}:${path}`;
}

/**
 * Whether two are the same folder, in the same environment, or the same preview of the same repository: by its id where
 * both have one, because a repository can be renamed, and another one can get its name.
 */
export function isSameOwner(one: AppOwner, other: AppOwner): boolean {
  const [id, otherId] = [ownerIdKey(one), ownerIdKey(other)];
  return id !== null && otherId !== null ? id === otherId : ownerKey(one) === ownerKey(other);
}

/** Returns the owner of the application that a preview is made of. */
export function parentOf({ pullRequest: _, ...owner }: AppOwner): AppOwner {
  return owner;
}

/** Returns an owner for a sentence that names another one too: host and id only where the two differ in nothing else. */
export function inWords(one: AppOwner, other: AppOwner): string {
  const { host, owner, name, id, path, environment, pullRequest } = one;
  const isNamesake = id !== other.id && ownerKey(one) === ownerKey(other);
  const at = host === other.host ? (isNamesake ? ` with the id ${id}` : '') : ` at ${host}`;
  const preview = pullRequest === undefined ? '' : `the pull request ${pullRequest.number} of `;
  const kind = environment === undefined ? '' : `the environment ${environment} of `;
  return `${preview}${kind}${path === undefined ? '' : `the folder ${path} of `}${owner}/${name}${at}`;
}

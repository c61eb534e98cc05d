import * as v from 'valibot';
import type { DeliveredRepository } from '../../../core/payload/delivery.ts';
import { type LocatedRepository, repositoryAt } from './remote.ts';

/** The address of a repository's page or git remote, read as the repository behind it. */
export const remoteRepository = v.pipe(
  v.string('is not text'),
  v.check((address) => repositoryAt(address) !== null, 'is not the address of a repository'),
  v.transform((address) => delivered(repositoryAt(address))),
);

/** A repository of which a CI provider tells only where it is. Whether it is private is not said. */
export function delivered(repository: LocatedRepository | null): DeliveredRepository {
  return { hostname: null, owner: '', name: '', url: null, ...repository, private: false };
}

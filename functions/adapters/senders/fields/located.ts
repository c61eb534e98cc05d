import * as v from 'valibot';
import type { DeliveredRepository } from '../../../core/payload/delivery.ts';
import { type LocatedRepository, repositoryAt } from './remote.ts';

/** The URL of a repository's web page or git remote, parsed to the repository. */
export const remoteRepository = v.pipe(
  v.string('is not a string'),
  v.check((address) => repositoryAt(address) !== null, 'is not the address of a repository'),
  v.transform((address) => delivered(repositoryAt(address))),
);

/** Returns the repository of a delivery from its location. CI providers do not send whether it is private. */
export function delivered(repository: LocatedRepository | null): DeliveredRepository {
  return { hostname: null, owner: '', name: '', url: null, ...repository, private: false };
}

import { randomUUID } from 'node:crypto';
import { HttpError } from '../http-error.ts';
import type { StoredUser, Users } from './users.ts';

/** A token of another service, as its keeper stores it: the caller seals it, the platform keeps it as it is. */
export type ThirdPartyToken = StoredUser['thirdparty'][number];

const limit = 200;

/** Stores a sealed token under its `id` (made when absent); the same id again replaces it. Gives what was stored. */
export async function storeThirdParty(
  users: Users,
  user: string,
  body: Readonly<Record<string, unknown>>,
): Promise<ThirdPartyToken> {
  const id = body.id ?? randomUUID();
  if (typeof id !== 'string' || id === '' || id.length > 256)
    throw new HttpError(400, 'The id is a text of 1 to 256 characters.');
  const token = { ...body, id };
  await users.change(user, (stored) => {
    const others = stored.thirdparty.filter((one) => one.id !== id);
    if (others.length >= limit) throw new HttpError(409, `A user has at most ${limit} third-party tokens.`);
    return { ...stored, thirdparty: [...others, token] };
  });
  return token;
}

/** Removes a sealed token; 404 when there is none with that id. */
export async function removeThirdParty(users: Users, user: string, id: string): Promise<void> {
  await users.change(user, (stored) => {
    const thirdparty = stored.thirdparty.filter((one) => one.id !== id);
    if (thirdparty.length === stored.thirdparty.length)
      throw new HttpError(404, `There is no third-party token ${id}.`);
    return { ...stored, thirdparty };
  });
}

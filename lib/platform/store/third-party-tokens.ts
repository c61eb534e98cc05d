import { randomUUID } from 'node:crypto';
import { HttpError } from '../http-error.ts';
import type { StoredUser, Users } from './users.ts';

/** A token for another service, encrypted by the caller; the platform stores it unchanged. */
export type ThirdPartyToken = StoredUser['thirdparty'][number];

const MAX_TOKENS = 200;

/**
 * Stores an encrypted token under its `id` (created when absent) and replaces an earlier one with that id. Returns the
 * stored token.
 */
export async function storeThirdParty(
  users: Users,
  user: string,
  body: Readonly<Record<string, unknown>>,
): Promise<ThirdPartyToken> {
  const id = body.id ?? randomUUID();
  if (typeof id !== 'string' || id === '' || id.length > 256)
    throw new HttpError(400, 'The id is a string of 1 to 256 characters.');
  const token = { ...body, id };
  await users.change(user, (stored) => {
    const others = stored.thirdparty.filter((one) => one.id !== id);
    if (others.length >= MAX_TOKENS) throw new HttpError(409, `A user has at most ${MAX_TOKENS} third-party tokens.`);
    return { ...stored, thirdparty: [...others, token] };
  });
  return token;
}

/** Removes an encrypted token; 404 when there is none with that id. */
export async function removeThirdParty(users: Users, user: string, id: string): Promise<void> {
  await users.change(user, (stored) => {
    const thirdparty = stored.thirdparty.filter((one) => one.id !== id);
    if (thirdparty.length === stored.thirdparty.length)
      throw new HttpError(404, `There is no third-party token ${id}.`);
    return { ...stored, thirdparty };
  });
}

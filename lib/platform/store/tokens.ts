import { randomBytes, randomUUID } from 'node:crypto';
import { hashToken, looksLikeToken, sameSecret, tokenOf } from '../../../functions/core/secrets.ts';
import { OperatorError } from '../../files/errors.ts';
import { HttpError } from '../../http/http-error.ts';
import type { StoredUser, Users } from './users.ts';

/** An API token as its owner sees it in a list: never the secret. */
interface TokenInfo {
  readonly name: string;
  readonly created_at: string;
}

const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9 ._@+-]{0,63}$/;

/** Tokens of a user, of each kind: all are read at each login. */
const MAX_TOKENS = 200;

/**
 * Creates an API token and returns it with its secret, of which only a hash is stored. The secret is 256 random bits,
 * so a plain SHA-256 is enough where a password needs scrypt. 409 when the name is taken, or with too many tokens.
 */
export async function createToken(users: Users, user: string, name: string): Promise<TokenInfo & { token: string }> {
  if (!NAME_PATTERN.test(name)) {
    throw new HttpError(
      400,
      'A token name has 1 to 64 letters, digits, spaces and . _ @ + - and begins with one of the first two.',
    );
  }
  const { token, ...info } = namedToken(name);
  await users.change(user, (stored) => {
    if (stored.tokens.some((one) => one.name === name))
      throw new HttpError(409, `There is a token named ${name} already.`);
    if (stored.tokens.length >= MAX_TOKENS)
      throw new HttpError(409, `A user has at most ${MAX_TOKENS} API tokens: revoke one first.`);
    return { ...stored, tokens: [...stored.tokens, { ...info, hash: hashToken(token) }] };
  });
  return { ...info, token };
}

/**
 * Creates an API token in place of the one of that name, if any, and returns its secret. That of a user whose record is
 * damaged is refused until it is restored.
 */
export async function renewToken(users: Users, user: string, name: string): Promise<string> {
  const { token, ...info } = namedToken(name);
  await users
    .change(user, (stored) => {
      const others = stored.tokens.filter((one) => one.name !== name);
      return { ...stored, tokens: [...others, { ...info, hash: hashToken(token) }] };
    })
    .catch((error: unknown) => {
      if (!(error instanceof OperatorError)) throw error;
    });
  return token;
}

function namedToken(name: string): TokenInfo & { token: string } {
  return { name, created_at: new Date().toISOString(), token: tokenOf(randomBytes(20)) };
}

/** Returns the user's tokens, oldest first, without their secrets. */
export function listTokens(user: StoredUser): readonly TokenInfo[] {
  return user.tokens.map(({ name, created_at }) => ({ name, created_at }));
}

/** Revokes a token: the next request with it is refused. 404 when there is none of that name. */
export async function revokeToken(users: Users, user: string, name: string): Promise<void> {
  await users.change(user, (stored) => {
    const tokens = stored.tokens.filter((one) => one.name !== name);
    if (tokens.length === stored.tokens.length) throw new HttpError(404, `There is no token named ${name}.`);
    return { ...stored, tokens };
  });
}

export function isToken(user: StoredUser, secret: string): boolean {
  if (!looksLikeToken(secret)) return false;
  const hash = hashToken(secret);
  return user.tokens.some((one) => sameSecret(one.hash, hash));
}

/**
 * Stores a token for another service, as its caller has encrypted it, under its `id` (created when absent) in place of an
 * earlier one, and returns it.
 */
export async function storeThirdParty(users: Users, user: string, body: Readonly<Record<string, unknown>>) {
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

import { badParameter } from '../errors.ts';
import type { ApiToken, UsedToken, UserStore } from '../ports/accounts.ts';
import type { Clock, Ids } from '../ports/system.ts';
import { hashToken, tokenOf } from '../secrets.ts';
import { changeUser, usedToken } from './stored-user.ts';

export interface TokenParts {
  readonly store: UserStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'hex'>;
}

/** All of a user are read at each login. */
const MAX_TOKENS = 200;
const NAME = /^[A-Za-z0-9][A-Za-z0-9 ._@+-]{0,63}$/;

/**
 * Makes an API token, of which only a hash is stored. Throws `request:bad_parameter` for a name that is taken or not
 * allowed, with too many tokens, and when there is no such user.
 */
export async function makeToken(
  { store, clock, ids }: TokenParts,
  user: string,
  wanted: UsedToken,
): Promise<ApiToken & { readonly token: string }> {
  const { name } = wanted;
  if (!NAME.test(name)) throw badParameter(NAME_RULE);
  const token = tokenOf(Buffer.from(ids.hex(40), 'hex'));
  const createdAt = new Date(clock.now()).toISOString();
  const made = { ...usedToken(wanted), hash: hashToken(token), created_at: createdAt };
  const isThere = await changeUser(store, user, (stored) => {
    if (stored.tokens.some((one) => one.name === name))
      throw badParameter(`There is a token named ${name} already. Revoke it first, or take another name.`);
    if (stored.tokens.length >= MAX_TOKENS)
      throw badParameter(`A user has at most ${MAX_TOKENS} API tokens: revoke one first.`);
    return { ...stored, tokens: [...stored.tokens, made] };
  });
  if (isThere) return { ...usedToken(wanted), createdAt, token };
  throw badParameter(`There is no user ${user}.`);
}

/** Revokes an API token. Returns false when there is none of that name. */
export async function removeToken(store: UserStore, user: string, name: string): Promise<boolean> {
  let wasThere = false;
  await changeUser(store, user, (stored) => {
    const tokens = stored.tokens.filter((one) => one.name !== name);
    wasThere = tokens.length < stored.tokens.length;
    return { ...stored, tokens };
  });
  return wasThere;
}

const NAME_RULE =
  'A token name has 1 to 64 letters, digits, spaces and . _ @ + - and begins with one of the first two.';

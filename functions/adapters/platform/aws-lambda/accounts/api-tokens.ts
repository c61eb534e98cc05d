import { randomBytes } from 'node:crypto';
import type { Credentials } from '../../../../core/basic-auth.ts';
import { DeployError } from '../../../../core/errors.ts';
import type { ApiToken, ApiTokens } from '../../../../core/ports/accounts.ts';
import type { Clock } from '../../../../core/ports/system.ts';
import { hashToken, tokenOf } from '../../../../core/secrets.ts';
import type { UserItem } from '../table/items.ts';
import type { PlatformTable, Stored } from '../table/table.ts';
import { checkLogin, userKeys, type ValidLogin } from './user-items.ts';

interface TokenParts {
  readonly table: PlatformTable;
  readonly clock: Pick<Clock, 'now'>;
}

/** All of a user are read at each login. Of two calls at the same moment both may find the last place. */
const MAX_TOKENS = 200;

const NAME = /^[\w.-]{1,64}$/;

/** Returns the API tokens in the platform's table, which has only their hashes. */
export function tableApiTokens(parts: TokenParts): ApiTokens {
  const { table } = parts;
  return {
    list: (login) =>
      asUser(login, parts, async () => {
        return tokensIn(await table.list(userKeys.all(login.user)));
      }),
    create: (login, name) =>
      asUser(login, parts, async ({ by }) => {
        if (by === 'token') throw passwordNeeded();
        return makeToken(login.user, name, parts);
      }),
    revoke: (login, name) =>
      asUser(login, parts, async () => isTokenName(name) && table.remove(userKeys.token(login.user, name))),
  };
}

/** Returns the API tokens among the items of a user, the oldest first. */
export function tokensIn(items: readonly Stored<UserItem>[]): readonly ApiToken[] {
  const tokens = items.flatMap(({ sk, created_at: createdAt }) =>
    sk.startsWith('T#') && createdAt !== undefined ? [{ name: sk.slice('T#'.length), createdAt }] : [],
  );
  return tokens.sort(byAge);
}

/**
 * Makes an API token of a user who exists. Throws `request:bad_parameter` for a name that is taken or not allowed, and
 * with too many tokens.
 */
export async function makeToken(
  user: string,
  name: string,
  { table, clock }: TokenParts,
): Promise<ApiToken & { readonly token: string }> {
  if (!isTokenName(name)) throw badName('A name has up to 64 letters, digits, dots, dashes and underscores.');
  if (tokensIn(await table.list(userKeys.all(user))).length >= MAX_TOKENS) {
    throw badName(`A user has at most ${MAX_TOKENS} API tokens: revoke one first.`);
  }
  const token = tokenOf(randomBytes(20));
  const createdAt = new Date(clock.now()).toISOString();
  const fields = { hash: hashToken(token), created_at: createdAt };
  if (await table.write(userKeys.token(user, name), fields, { exists: false })) return { name, createdAt, token };
  throw badName(`There is a token named ${name} already. Revoke it first, or take another name.`);
}

async function asUser<T>(
  { user, secret }: Credentials,
  { table }: TokenParts,
  work: (login: ValidLogin) => Promise<T>,
): Promise<T> {
  try {
    const login = await checkLogin(table, user, secret);
    if (login) return await work(login);
  } catch (error) {
    if (error instanceof DeployError) throw error;
    const detail = 'The table of users did not answer in time; try again.';
    throw new DeployError('mw:auth:auth_server_down', detail, { cause: error });
  }
  throw new DeployError('mw:auth:unauthorized', 'Check the user name and the password or API token.');
}

function isTokenName(name: string): boolean {
  return NAME.test(name) && !/^\.{1,2}$/.test(name);
}

function byAge(one: ApiToken, other: ApiToken): number {
  return one.createdAt < other.createdAt ? -1 : Number(one.createdAt > other.createdAt);
}

function badName(detail: string): DeployError {
  return new DeployError('request:bad_parameter', detail);
}

function passwordNeeded(): DeployError {
  return new DeployError('mw:auth:unauthorized', 'An API token is made with the password, not with another API token.');
}

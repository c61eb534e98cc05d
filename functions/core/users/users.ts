import { badParameter } from '../errors.ts';
import type { UserStore, Users } from '../ports/accounts.ts';
import type { Clock, Ids } from '../ports/system.ts';
import { hashPassword, looksLikeToken } from '../secrets.ts';
import { storedAccounts, storedApiTokens } from './accounts.ts';
import { type CheckLogin, loginCheck } from './login.ts';
import { changeUser, isUserName, storedIn, tokensOf } from './stored-user.ts';
import { makeToken, removeToken } from './tokens.ts';

interface UserParts {
  readonly store: UserStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'hex'>;
}

/** The length of a password that an operator chooses for somebody else. */
const MIN_PASSWORD = 10;
const MAX_PASSWORD = 1024;

export function userPorts(given: UserParts) {
  const parts = { ...given, check: loginCheck(given.store, given.ids.hex(64)) };
  return {
    accounts: storedAccounts(parts),
    apiTokens: storedApiTokens(parts),
    users: storedUsers(parts),
    ensureUser: (login: Login) => ensureUser(parts, login),
  };
}

export type UserPorts = ReturnType<typeof userPorts>;

function storedUsers(parts: UserParts): Users {
  const { store, ids } = parts;
  return {
    list: async () =>
      [...(await store.list())].map(([user, document]) => ({ user, tokens: tokensOf(storedIn(user, document)) })),
    add: async (user, password = ids.hex(40)) => {
      await addUser(parts, { user, password: longEnough(password) });
      return { user, password };
    },
    setPassword: async (user, password = ids.hex(40)) => {
      if (await changePassword(parts, { user, password: longEnough(password) })) return { user, password };
      throw badParameter(`There is no user ${user}.`);
    },
    makeToken: async (user, name) => {
      const { token } = await makeToken(parts, user, { name });
      return { user, name, token };
    },
    revokeToken: (user, name) => removeToken(store, user, name),
    remove: async (user) => isUserName(user) && store.remove(user),
  };
}

interface Login {
  readonly user: string;
  readonly password: string;
}

/** Makes a user, or gives the user this password; a second call changes nothing. */
async function ensureUser(parts: UserParts & { readonly check: CheckLogin }, login: Login): Promise<void> {
  if (await parts.check(login.user, login.password)) return;
  if (!(await changePassword(parts, login))) await addUser(parts, login);
}

async function addUser({ store, ids }: UserParts, { user, password }: Login): Promise<void> {
  if (!isUserName(user)) throw badParameter(NAME_RULE);
  const made = { record: { username: user }, password: await hashed(password, ids), tokens: [] };
  if (!(await store.write(user, JSON.stringify(made), null))) throw badParameter(`There is a user ${user} already.`);
}

/** Returns false when there is no such user. */
async function changePassword({ store, ids }: UserParts, { user, password }: Login): Promise<boolean> {
  const hash = await hashed(password, ids);
  return changeUser(store, user, (stored) => ({ ...stored, password: hash }));
}

async function hashed(password: string, ids: UserParts['ids']) {
  if (password.length === 0 || password.length > MAX_PASSWORD || looksLikeToken(password)) {
    throw badParameter(`A password has 1 to ${MAX_PASSWORD} characters, and not the form of an API token.`);
  }
  return hashPassword(password, Buffer.from(ids.hex(32), 'hex'));
}

function longEnough(password: string): string {
  if (password.length >= MIN_PASSWORD) return password;
  throw badParameter(`A password has at least ${MIN_PASSWORD} characters.`);
}

const NAME_RULE =
  'A user name has up to 63 letters, digits, dots, dashes and underscores, and begins with a letter or digit.';

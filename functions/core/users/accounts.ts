import type { Credentials } from '../basic-auth.ts';
import { DeployError, type ErrorCode, failsAs } from '../errors.ts';
import type { Account, Accounts, ApiTokens, UserStore } from '../ports/accounts.ts';
import type { CheckLogin, ValidLogin } from './login.ts';
import { changeUser, findUser, tokensOf, usedToken } from './stored-user.ts';
import { makeToken, removeToken, type TokenParts } from './tokens.ts';

interface AccountParts {
  readonly store: UserStore;
  readonly check: CheckLogin;
}

export function storedAccounts({ store, check }: AccountParts): Accounts {
  return {
    authenticate: async (user, secret) => {
      const { stored, token } = await validLogin(check, { user, secret });
      const { record } = stored;
      if (typeof record.username === 'string' && record.username !== '') {
        return { user, record, ...(token && { token: usedToken(token) }) };
      }
      throw new DeployError('mw:auth:no_username', 'The login is valid, but the user record has no username.');
    },
    read: async (user) => {
      const userDocument = await findUser(store, user).catch(failsAs('auth:repohost:get_user_failed', NO_ANSWER));
      if (userDocument) return { user, record: userDocument.stored.record };
      throw noSuchUser('auth:repohost:get_user_failed');
    },
    update: async ({ user, record }: Account) => {
      const code = 'auth:repohost:update_user_failed';
      const isDone = await changeUser(store, user, (stored) => ({ ...stored, record })).catch(failsAs(code, NO_ANSWER));
      if (!isDone) throw noSuchUser(code);
    },
  };
}

/** Returns the API tokens of the users in a store, which has only their hashes. */
export function storedApiTokens({ check, ...parts }: TokenParts & Pick<AccountParts, 'check'>): ApiTokens {
  return {
    list: async (login) => tokensOf((await validLogin(check, login)).stored),
    create: async (login, name, rights) => {
      if ((await validLogin(check, login)).token) throw passwordNeeded();
      return answered(makeToken(parts, login.user, { name, ...(rights && { rights }) }));
    },
    revoke: async (login, name) => {
      await validLogin(check, login);
      return answered(removeToken(parts.store, login.user, name));
    },
  };
}

async function validLogin(check: CheckLogin, { user, secret }: Credentials): Promise<ValidLogin> {
  const login = await check(user, secret);
  if (login) return login;
  const detail = 'Check the user name and the password or API token; a token may be revoked.';
  throw new DeployError('mw:auth:unauthorized', detail);
}

/** The failure of a store has no code. */
async function answered<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (error instanceof DeployError) throw error;
    throw new DeployError('mw:auth:auth_server_down', NO_ANSWER, { cause: error });
  });
}

function passwordNeeded(): DeployError {
  const detail =
    'API tokens are made with the password only, so that a stolen token cannot make others. Log in with the password.';
  return new DeployError('mw:auth:unauthorized', detail);
}

function noSuchUser(code: ErrorCode): DeployError {
  return new DeployError(code, 'There is no such user.', { retry: false });
}

const NO_ANSWER = 'The store of users did not answer, or the user is damaged there; try again.';

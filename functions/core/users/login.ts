import { failsAs } from '../errors.ts';
import type { UserStore } from '../ports/accounts.ts';
import { hashToken, looksLikeToken, sameSecret } from '../secrets.ts';
import { passwordCheck } from './passwords.ts';
import { findUser, type StoredToken, type StoredUser } from './stored-user.ts';

export interface ValidLogin {
  /** Null: it was with the password. */
  readonly token: StoredToken | null;
  readonly stored: StoredUser;
}

/**
 * Returns the login that a secret gives; null when it is wrong or there is no such user. Throws
 * `mw:auth:auth_server_down` when the user cannot be read, and `request:throttled` when too many passwords wait.
 */
export type CheckLogin = (user: string, secret: string) => Promise<ValidLogin | null>;

/** Returns the check of logins. The key is of this process only. */
export function loginCheck(store: Pick<UserStore, 'read'>, key: string): CheckLogin {
  const isRight = passwordCheck(key);
  return async (user, secret) => {
    const stored = (await findUser(store, user).catch(failsAs('mw:auth:auth_server_down', NO_ANSWER)))?.stored;
    if (looksLikeToken(secret)) {
      const token = stored && tokenIn(stored, secret);
      return token ? { token, stored } : null;
    }
    // An unknown user takes as long as a wrong password, so that the time does not say which names exist.
    return (await isRight({ user, door: user }, secret, stored?.password)) && stored ? { token: null, stored } : null;
  };
}

function tokenIn({ tokens }: StoredUser, secret: string): StoredToken | undefined {
  const hash = hashToken(secret);
  return tokens.find((one) => sameSecret(one.hash, hash));
}

const NO_ANSWER = 'The user could not be looked up; try again.';

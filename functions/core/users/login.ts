import { createHmac } from 'node:crypto';
import { failsAs } from '../errors.ts';
import type { UserStore } from '../ports/accounts.ts';
import { hashToken, isPassword, looksLikeToken, sameSecret } from '../secrets.ts';
import { findUser, type StoredToken, type StoredUser } from './stored-user.ts';
import { passwordTurns } from './turns.ts';

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

const MAX_REMEMBERED = 1_000;

/**
 * Returns the check of logins. It remembers passwords that were right, so that only the first of many logins pays for
 * scrypt, and waits for it when others guess; equal ones under way share one derivation. What is remembered is an HMAC
 * under the key, which is of this process only; it covers the stored hash, so a changed password is checked again.
 */
export function loginCheck(store: Pick<UserStore, 'read'>, key: string): CheckLogin {
  const inTurn = passwordTurns();
  const right = new Set<string>();
  const underWay = new Map<string, Promise<boolean>>();

  /** An unknown user takes as long as a wrong password, so that the time does not say which names exist. */
  const isRight = async (user: string, secret: string, stored: StoredUser | undefined): Promise<boolean> => {
    const id = createHmac('sha256', key)
      .update(JSON.stringify([user, secret, stored?.password.hash]))
      .digest('base64');
    if (right.delete(id)) return Boolean(right.add(id)); // A Set keeps insertion order: the one used last is last.
    const check = underWay.get(id) ?? inTurn(user, () => isPassword(secret, stored?.password));
    underWay.set(id, check);
    const result = await check.finally(() => underWay.delete(id));
    if (result) right.add(id);
    const [oldest] = right;
    if (right.size > MAX_REMEMBERED && oldest !== undefined) right.delete(oldest);
    return result;
  };

  return async (user, secret) => {
    const stored = (await findUser(store, user).catch(failsAs('mw:auth:auth_server_down', NO_ANSWER)))?.stored;
    if (looksLikeToken(secret)) {
      const token = stored && tokenIn(stored, secret);
      return token ? { token, stored } : null;
    }
    return (await isRight(user, secret, stored)) && stored ? { token: null, stored } : null;
  };
}

function tokenIn({ tokens }: StoredUser, secret: string): StoredToken | undefined {
  const hash = hashToken(secret);
  return tokens.find((one) => sameSecret(one.hash, hash));
}

const NO_ANSWER = 'The user could not be looked up; try again.';

import { readBasic } from '../../../functions/core/basic-auth.ts';
import { looksLikeToken, sameSecret } from '../../../functions/core/secrets.ts';
import { HttpError } from '../../http/http-error.ts';
import { isToken } from '../store/tokens.ts';
import type { Users } from '../store/users.ts';
import type { LoginClient, VerifyPassword } from './passwords.ts';

/** The authenticated user, and the kind of secret used. */
export interface Caller {
  readonly user: string;
  readonly with: 'password' | 'token' | 'service';
  /** Whether the login would still be accepted: the token is not revoked, the password not changed. */
  readonly isValid: () => Promise<boolean>;
}

export interface Login {
  readonly users: Users;
  readonly verify: VerifyPassword;
  /** The secret with which the deploy service acts for any user. */
  readonly serviceToken: string;
}

/**
 * Returns the caller that an `Authorization: Basic` header authenticates, or throws 401, and 429 when the password
 * cannot be checked now. Tokens are checked at once, without the threads that passwords take.
 */
export async function logIn(login: Login, header: string | undefined, client: LoginClient): Promise<Caller> {
  const credentials = readBasic(header);
  if (!credentials) throw new HttpError(401, 'The request carries no valid Basic credentials.');
  const { user, secret } = credentials;
  if (sameSecret(secret, login.serviceToken)) return { user, with: 'service', isValid: async () => true };
  const stored = await login.users.find(user).catch((error: unknown) => {
    // An invalid user name is a wrong login, not a bad request.
    if (error instanceof HttpError) return undefined;
    throw error;
  });
  const hasToken = async () => {
    const now = await login.users.find(user);
    return now !== undefined && isToken(now, secret);
  };
  if (stored && isToken(stored, secret)) return { user, with: 'token', isValid: hasToken };
  const attempt = { user, password: secret, stored: stored?.password, client };
  const isUnchanged = async () => (await login.users.find(user))?.password.hash === stored?.password.hash;
  if (!looksLikeToken(secret) && (await login.verify(attempt))) return { user, with: 'password', isValid: isUnchanged };
  throw new HttpError(401, 'User name and password or token do not match.');
}

/** Throws 403 unless the caller is the user of the path, or the deploy service. */
export function mustBe(caller: Caller, user: string): void {
  if (caller.with === 'service' || caller.user === user) return;
  throw new HttpError(403, `This belongs to ${user}, and you are logged in as ${caller.user}.`);
}

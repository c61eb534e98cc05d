import { type Credentials, readBasic } from './basic-auth.ts';
import { DeployError } from './errors.ts';
import { percentDecoded } from './percent.ts';
import type { Accounts } from './ports/accounts.ts';

type Logins = Pick<Accounts, 'authenticate'>;

/**
 * Returns the user that credentials belong to. They are tried as sent, then percent-decoded: a secret may contain a
 * `%`. Throws as `Accounts.authenticate` does.
 */
export async function authenticate(
  accounts: Logins,
  sent: Credentials & { readonly address?: string },
): Promise<string> {
  try {
    return (await accounts.authenticate(sent.user, sent.secret, sent.address)).user;
  } catch (error) {
    const decoded = percentDecoded(sent);
    if (!decoded || !isRefusal(error)) throw error;
    return (await accounts.authenticate(decoded.user, decoded.secret, sent.address)).user;
  }
}

/**
 * Returns whether the credentials of an authorized request are still valid. When the authentication server does not
 * answer, they count as valid.
 */
export async function isStillUser(accounts: Logins, user: string, authorization: string | undefined): Promise<boolean> {
  const credentials = readBasic(authorization);
  if (!credentials) return false;
  try {
    return (await authenticate(accounts, credentials)) === user;
  } catch (error) {
    return !isRefusal(error);
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof DeployError && error.code === 'mw:auth:unauthorized';
}

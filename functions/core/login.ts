import { type Credentials, percentDecoded, readBasic } from './basic-auth.ts';
import { DeployError, type ErrorCode } from './errors.ts';
import type { Accounts } from './ports/accounts.ts';

export interface LoginRequest {
  /** The route's path as the API declares it: `/1/status/{user}/webhooks`. */
  readonly resource: string;
  /** The `{user}` of the path, still percent-encoded; undefined when the route has none. */
  readonly pathUser: string | undefined;
  /** The `Authorization` header as sent. Holds the secret: never logged. */
  readonly authorization: string | undefined;
  readonly address: string;
  /** The `User-Agent` header. */
  readonly agent?: string | undefined;
}

/**
 * The authenticated user, or the code (always a 401) and the detail of the refusal, or the seconds after which the
 * login can be checked.
 */
export type LoginDecision =
  | { readonly allowed: true; readonly user: string }
  | { readonly throttledSeconds: number }
  | { readonly allowed: false; readonly code: ErrorCode; readonly detail: string };

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

/** Whether the credentials are wrong. */
export function isRefusal(error: unknown): boolean {
  return error instanceof DeployError && error.code === 'mw:auth:unauthorized';
}

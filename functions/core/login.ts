import { type Credentials, percentDecoded, readBasic } from './basic-auth.ts';
import { DeployError, type ErrorCode } from './errors.ts';
import type { Account, Accounts } from './ports/accounts.ts';
import type { Clock } from './ports/system.ts';

export interface LoginRequest {
  /** The route's path as the API declares it: `/1/status/{user}/webhooks`. */
  readonly resource: string;
  /** Of the route; that of a WebSocket is `GET`. */
  readonly method: string;
  /** The `{user}` of the path, still percent-encoded; undefined when the route has none. */
  readonly pathUser: string | undefined;
  /** The `Authorization` header as sent. Holds the secret: never logged. */
  readonly authorization: string | undefined;
  readonly address: string;
  /** The `User-Agent` header. */
  readonly agent?: string | undefined;
}

/** A user, with the API token of the login; absent for the password. */
export type LoggedIn = Pick<Account, 'user' | 'token'>;

/**
 * The authenticated user, or what the token may not, or the code (always a 401) and the detail of the refusal, or the seconds after which the
 * login can be checked.
 */
export type LoginDecision =
  | ({ readonly allowed: true } & LoggedIn)
  | { readonly forbidden: string }
  | { readonly throttledSeconds: number }
  | { readonly allowed: false; readonly code: ErrorCode; readonly detail: string };

type Logins = Pick<Accounts, 'authenticate'>;

/** Returns the result of a call with credentials as sent, or else percent-decoded: a secret may contain a `%`. */
export async function withLogin<T>(sent: Credentials, call: (login: Credentials) => Promise<T>): Promise<T> {
  try {
    return await call(sent);
  } catch (error) {
    const decoded = percentDecoded(sent);
    if (!decoded || !isRefusal(error)) throw error;
    return call(decoded);
  }
}

/** Returns the login that credentials give. Throws as `Accounts.authenticate` does. */
export async function authenticate(accounts: Logins, sent: Credentials): Promise<LoggedIn> {
  const { user, token } = await withLogin(sent, ({ user, secret }) => accounts.authenticate(user, secret));
  return { user, ...(token && { token }) };
}

/**
 * Returns whether the credentials of an authorized request are still valid. When the authentication server does not
 * answer, they count as valid.
 */
export async function isStillUser(accounts: Logins, user: string, authorization: string | undefined): Promise<boolean> {
  const credentials = readBasic(authorization);
  if (!credentials) return false;
  try {
    return (await authenticate(accounts, credentials)).user === user;
  } catch (error) {
    return !isRefusal(error);
  }
}

export interface StreamLogin {
  /** When it is to be checked again, in milliseconds since 1970. */
  readonly checkAt: number;
  /** Returns whether the login is no longer valid. Checks it when that is due; otherwise it is. */
  hasLapsed(): Promise<boolean>;
}

/** A request that was let in. */
interface Entered {
  readonly user: string;
  readonly headers: { readonly authorization?: string | undefined };
}

export interface StreamLoginPorts {
  readonly accounts: Logins;
  readonly clock: Pick<Clock, 'now'>;
}

/** How often the login of an open stream is checked again: as long as the login before a request is remembered. */
const CHECK_LOGIN_MS = 60_000;

/** Returns the login of a stream that is opened now. Every stream asks it when `checkAt` has come. */
export function streamLogin({ user, headers }: Entered, { accounts, clock }: StreamLoginPorts): StreamLogin {
  let checkAt = clock.now() + CHECK_LOGIN_MS;
  return {
    get checkAt() {
      return checkAt;
    },
    hasLapsed: async () => {
      if (clock.now() < checkAt) return false;
      checkAt = clock.now() + CHECK_LOGIN_MS;
      return !(await isStillUser(accounts, user, headers.authorization));
    },
  };
}

/** Whether the credentials are wrong. */
export function isRefusal(error: unknown): boolean {
  return error instanceof DeployError && error.code === 'mw:auth:unauthorized';
}

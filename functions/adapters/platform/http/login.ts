import type { Credentials } from '../../../core/basic-auth.ts';
import { DeployError, failsAs } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type { Account, Accounts } from '../../../core/ports/accounts.ts';
import { isPathSegment } from '../../../core/text.ts';
import { readRetryAfter } from './answers.ts';
import { type PlatformHttpOptions, type PlatformResponse, platformHttp } from './client.ts';

/** Used when the platform sends no `Retry-After`. */
const RETRY_AFTER_SECONDS = 5;

/** A platform that is busy is waited for, until before a webhook's sender gives up, after ten seconds. */
export const LOGIN_TIMEOUT_MS = 9000;

export interface HttpLoginOptions extends PlatformHttpOptions {
  /** Default 9000. */
  readonly timeoutMs?: number;
}

/**
 * Returns the logins of the platform API, apart from the rest of the accounts, because they are checked before every
 * request. `authenticate` sends `GET /auth` with the user's own credentials and reads the user's record at the same
 * time, so that a login takes one round trip. See `Accounts` for the codes.
 */
export function httpLogin({
  timeoutMs = LOGIN_TIMEOUT_MS,
  ...options
}: HttpLoginOptions): Pick<Accounts, 'authenticate'> {
  const http = platformHttp(options);
  const get = (credentials: Credentials, path: readonly string[], client?: string) =>
    http({ method: 'GET', path, credentials, timeoutMs, client });
  return {
    authenticate: async (user, secret, address) => {
      const credentials = { user, secret };
      if (!isPathSegment(user)) throw unauthorized();
      const record = get(credentials, ['users', user], address);
      // Not awaited after a wrong password; its failure must not be an unhandled rejection then.
      record.catch(() => undefined);
      checkLogin(user, await get(credentials, ['auth'], address).catch(authServerDown));
      return { user, record: usableRecord(await record.catch(authServerDown)) };
    },
  };
}

function checkLogin(user: string, response: PlatformResponse): void {
  const { status, body } = response;
  if (status === 429) throw throttled(response);
  if (status === 401 || status === 403) throw unauthorized();
  if (status !== 200 || !isObject(body) || typeof body.user !== 'string') throw unexpectedResponse(status);
  // A platform may accept an alias; the alias may be the name of another user here.
  if (body.user !== user) throw unauthorized();
}

function usableRecord(response: PlatformResponse): Account['record'] {
  const { status, body } = response;
  if (status === 429) throw throttled(response);
  // The token may have been revoked between the two calls.
  if (status === 401 || status === 403) throw unauthorized();
  if (status === 404) throw noUsername();
  if (status !== 200 || !isObject(body)) throw unexpectedResponse(status);
  if (typeof body.username !== 'string' || body.username === '') throw noUsername();
  return body;
}

function unauthorized(): DeployError {
  return new DeployError(
    'mw:auth:unauthorized',
    'Check the user name and the password or API token; a token may be revoked.',
  );
}

function throttled({ retryAfter }: PlatformResponse): DeployError {
  const seconds = readRetryAfter(retryAfter, Date.now()) ?? RETRY_AFTER_SECONDS;
  const detail = `The platform checks too many logins; try again in ${seconds} s, or log in with an API token.`;
  return new DeployError('request:throttled', detail, { retryAfter: seconds });
}

function noUsername(): DeployError {
  return new DeployError(
    'mw:auth:no_username',
    'The login is valid, but the user record at the platform has no username.',
  );
}

const authServerDown = failsAs('mw:auth:auth_server_down', 'The platform did not answer the login in time; try again.');

function unexpectedResponse(status: number): DeployError {
  return new DeployError(
    'mw:auth:auth_server_down',
    `The platform answered the login with ${status} or a body that is not understood.`,
  );
}

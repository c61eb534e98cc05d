import type { Credentials } from '../../../core/basic-auth.ts';
import { DeployError } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type { Account, Accounts } from '../../../core/ports/accounts.ts';
import { isPathSegment, type PlatformResponse, platformHttp } from '../http.ts';
import { type ServiceToken, withServiceToken } from '../service-token.ts';
import { readRetryAfter } from './answers.ts';

/** When the platform does not say when to try again. */
const RETRY_AFTER_SECONDS = 5;

export interface HttpAccountsOptions extends Partial<ServiceToken> {
  /** Base address of the platform API, without credentials in it. */
  readonly url: string;
  readonly fetch?: typeof fetch;
  /**
   * Default 9000: a platform that is busy is waited for, until before a webhook's sender gives up, after ten seconds.
   */
  readonly timeoutMs?: number;
}

/**
 * Returns the accounts of the platform API. `authenticate` sends `GET /auth` with the user's own credentials and reads
 * the user's record at the same time, so that a login takes one round trip. The service's own token is for `read` and
 * `update` only. See `Accounts` for the codes.
 */
export function httpAccounts({ timeoutMs = 9000, ...options }: HttpAccountsOptions): Accounts {
  const http = platformHttp(options);
  const get = (credentials: Credentials, path: readonly string[], client?: string) =>
    http({ method: 'GET', path, credentials, timeoutMs, client });
  const asService = withServiceToken({ serviceToken: noToken, ...options });
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
    read: async (user) => {
      const { body } = await onRecord(user, 'get_user_failed', () =>
        asService((secret) => get({ user, secret }, ['users', user])),
      );
      if (isObject(body)) return { user, record: body };
      throw new DeployError('auth:repohost:get_user_failed', 'The response of the platform is not a user record.');
    },
    update: async ({ user, record }: Account) => {
      const request = { method: 'PUT', path: ['users', user], json: record, timeoutMs } as const;
      await onRecord(user, 'update_user_failed', () =>
        asService((secret) => http({ ...request, credentials: { user, secret } })),
      );
    },
  };
}

async function noToken(): Promise<never> {
  throw new Error('This function has no service token.');
}

/** Makes a call of the service on a user's record. Throws the code unless the status is 2xx. */
async function onRecord(
  user: string,
  kind: 'get_user_failed' | 'update_user_failed',
  call: () => Promise<PlatformResponse>,
): Promise<PlatformResponse> {
  const code = `auth:repohost:${kind}` as const;
  if (!isPathSegment(user)) throw new DeployError(code, 'A user cannot have this name.', { retry: false });
  const response = await call().catch((cause: unknown) => {
    throw new DeployError(code, 'The platform could not be reached, or did not answer in time; try again.', { cause });
  });
  const { status } = response;
  if (status >= 200 && status < 300) return response;
  const detail = `The platform answered ${status} for the user record.`;
  throw new DeployError(code, detail, { retry: status === 429 || status >= 500 });
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

function authServerDown(cause: unknown): never {
  throw new DeployError('mw:auth:auth_server_down', 'The platform did not answer the login in time; try again.', {
    cause,
  });
}

function unexpectedResponse(status: number): DeployError {
  return new DeployError(
    'mw:auth:auth_server_down',
    `The platform answered the login with ${status} or a body that is not understood.`,
  );
}

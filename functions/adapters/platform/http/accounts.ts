import { DeployError, failsAs } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type { Account, Accounts } from '../../../core/ports/accounts.ts';
import { isPathSegment } from '../../../core/text.ts';
import { type PlatformResponse, platformHttp, type ServiceToken, withServiceToken } from './client.ts';
import { type HttpLoginOptions, httpLogin, LOGIN_TIMEOUT_MS } from './login.ts';

interface HttpAccountsOptions extends Partial<ServiceToken>, HttpLoginOptions {}

/**
 * Returns the accounts of the platform API. The service's own token is for `read` and `update` only. See `Accounts` for
 * the codes.
 */
export function httpAccounts({ timeoutMs = LOGIN_TIMEOUT_MS, ...options }: HttpAccountsOptions): Accounts {
  const http = platformHttp(options);
  const asService = withServiceToken({ serviceToken: noToken, ...options });
  return {
    ...httpLogin({ ...options, timeoutMs }),
    read: async (user) => {
      const { body } = await onRecord(user, 'get_user_failed', () =>
        asService((secret) => http({ method: 'GET', path: ['users', user], credentials: { user, secret }, timeoutMs })),
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
  const unreached = 'The platform could not be reached, or did not answer in time; try again.';
  const response = await call().catch(failsAs(code, unreached));
  const { status } = response;
  if (status >= 200 && status < 300) return response;
  const detail = `The platform answered ${status} for the user record.`;
  throw new DeployError(code, detail, { retry: status === 429 || status >= 500 });
}

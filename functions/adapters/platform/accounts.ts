import { DeployError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { Account, Accounts } from '../../core/ports/accounts.ts';
import { type Answer, accountsCall, type Caller } from './accounts-call.ts';

export interface HttpAccountsOptions {
  /** Base address of the platform API, without credentials in it. */
  readonly url: string;
  /** Proves the service itself, for `read` and `update`; not needed to authenticate. */
  readonly serviceToken?: () => Promise<string>;
  readonly fetch?: typeof fetch;
  /** How long a call may take, in milliseconds; 5000. */
  readonly timeoutMs?: number;
}

/**
 * The accounts of the platform API. Users are checked with `GET /auth` under their own credentials, and their record is
 * read beside it, so that a login takes one round trip. See `Accounts` for the codes.
 */
export function httpAccounts(options: HttpAccountsOptions): Accounts {
  const call = accountsCall(options);
  const service = async (user: string): Promise<Caller> => {
    if (options.serviceToken === undefined) throw new Error('This function has no service token.');
    return { user, secret: await options.serviceToken() };
  };
  return {
    authenticate: async (user, secret) => {
      const caller = { user, secret };
      if (!fitsPath(user)) throw unauthorized();
      const record = call('GET', recordPath(user), caller);
      // Awaited second, and not at all after a wrong password: its failure must not go unhandled then.
      record.catch(() => undefined);
      checkLogin(user, await call('GET', '/auth', caller).catch(unanswered));
      return { user, record: usableRecord(await record.catch(unanswered)) };
    },
    read: async (user) => {
      const answer = await onRecord(user, 'get_user_failed', async () =>
        call('GET', recordPath(user), await service(user)),
      );
      if (isObject(answer.body)) return { user, record: answer.body };
      throw new DeployError('auth:repohost:get_user_failed', 'The platform answered, but not with a user record.');
    },
    update: async ({ user, record: next }: Account) => {
      await onRecord(user, 'update_user_failed', async () => call('PUT', recordPath(user), await service(user), next));
    },
  };
}

/** Runs a call of the service on a user's record; throws the code unless the answer is a success. */
async function onRecord(
  user: string,
  kind: 'get_user_failed' | 'update_user_failed',
  run: () => Promise<Answer>,
): Promise<Answer> {
  const code = `auth:repohost:${kind}` as const;
  if (!fitsPath(user)) throw new DeployError(code, 'There can be no user of this name.', { retry: false });
  const answer = await run().catch((cause: unknown) => {
    throw new DeployError(code, 'The platform could not be asked, or did not answer in time; try again.', { cause });
  });
  if (answer.status >= 200 && answer.status < 300) return answer;
  const detail = `The platform answered ${answer.status} for the user record.`;
  throw new DeployError(code, detail, { retry: answer.status === 429 || answer.status >= 500 });
}

function checkLogin(user: string, { status, body }: Answer): void {
  if (status === 401 || status === 403) throw unauthorized();
  if (status !== 200 || !isObject(body) || typeof body.user !== 'string') throw notUnderstood(status);
  // A platform that knows one person by several names must not let them in under a name that may be another's.
  if (body.user !== user) throw unauthorized();
}

function usableRecord({ status, body }: Answer): Account['record'] {
  // The token may have been revoked between the two calls.
  if (status === 401 || status === 403) throw unauthorized();
  if (status === 404) throw noUsername();
  if (status !== 200 || !isObject(body)) throw notUnderstood(status);
  if (typeof body.username !== 'string' || body.username === '') throw noUsername();
  return body;
}

function recordPath(user: string): string {
  return `/users/${encodeURIComponent(user)}`;
}

// Segments of dots are resolved away by every URL parser, percent-encoded or not: `/users/..` would be `/`. And what is
// not well-formed Unicode cannot be encoded. https://url.spec.whatwg.org/#double-dot-path-segment
function fitsPath(user: string): boolean {
  return user !== '' && user !== '.' && user !== '..' && !/\p{Cs}/u.test(user);
}

function unauthorized(): DeployError {
  return new DeployError(
    'mw:auth:unauthorized',
    'Check the user name and the password or API token; a token may be revoked.',
  );
}

function noUsername(): DeployError {
  return new DeployError(
    'mw:auth:no_username',
    'The login is good, but the user record at the platform has no username.',
  );
}

function unanswered(cause: unknown): never {
  throw new DeployError('mw:auth:auth_server_down', 'The platform did not answer the login in time; try again.', {
    cause,
  });
}

function notUnderstood(status: number): DeployError {
  return new DeployError('mw:auth:auth_server_down', `The platform answered the login with ${status}, not understood.`);
}

import { NewToken, Token } from '../../../api/shapes/logins.ts';
import type { Credentials } from '../../../core/basic-auth.ts';
import { DeployError, failsAs } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type { ApiToken, ApiTokens } from '../../../core/ports/accounts.ts';
import { isPathSegment } from '../../../core/text.ts';
import { readErrorMessage } from './answers.ts';
import { listed } from './call.ts';
import { type PlatformHttpOptions, type PlatformResponse, platformHttp } from './client.ts';

const TIMEOUT_MS = 8_000;

/** Returns the API tokens behind the platform API, each call with the user's own login. */
export function httpApiTokens(options: PlatformHttpOptions): ApiTokens {
  const http = platformHttp(options);
  const call = async (login: Credentials, method: 'GET' | 'POST' | 'DELETE', name?: string, json?: unknown) => {
    const path = ['users', login.user, 'tokens', ...(name === undefined ? [] : [name])];
    if (!path.every(isPathSegment)) return { status: 404, body: undefined, retryAfter: null, etag: null };
    const body = json === undefined ? {} : { json };
    const answer = await http({ method, path, credentials: login, timeoutMs: TIMEOUT_MS, ...body }).catch(noAnswer);
    if (answer.status === 401) throw new DeployError('mw:auth:unauthorized', 'The platform did not accept the login.');
    return answer;
  };
  return {
    list: async (login) => {
      const { status, body } = await call(login, 'GET');
      if (status !== 200) throw unexpected(status);
      return listed(Token, isObject(body) && body.tokens).map(tokenOf);
    },
    create: async (login, name) => created(await call(login, 'POST', undefined, { name })),
    revoke: async (login, name) => {
      const { status } = await call(login, 'DELETE', name);
      if (status === 404) return false;
      if (status < 200 || status > 299) throw unexpected(status);
      return true;
    },
  };
}

function created({ status, body }: PlatformResponse): ApiToken & { readonly token: string } {
  if (status === 403) throw new DeployError('mw:auth:unauthorized', WITH_PASSWORD_ONLY);
  if (status === 400 || status === 409) {
    const detail = readErrorMessage(body) ?? 'The platform refused the name of the token without a reason.';
    throw new DeployError('request:bad_parameter', detail);
  }
  const [made] = listed(NewToken, [body]);
  if (status < 200 || status > 299 || !made) throw unexpected(status);
  return { ...tokenOf(made), token: made.token };
}

const WITH_PASSWORD_ONLY =
  'API tokens are made with the password only, so that a stolen token cannot make others. Log in with the password.';

function tokenOf({ name, created_at: createdAt }: Token): ApiToken {
  return { name, createdAt };
}

const UNREACHED = 'The platform could not be reached, or did not answer in time; try again.';
const noAnswer = failsAs('mw:auth:auth_server_down', UNREACHED);

function unexpected(status: number): DeployError {
  return new DeployError('mw:auth:auth_server_down', `The platform answered ${status}, which is not understood.`);
}

import { DeployError } from '../../core/errors.ts';
import type { HostToken } from '../../core/ports/repository-host.ts';
import type { Answer, Call, Exchange } from './exchange.ts';
import { type Attempt, breakdown } from './failures.ts';

/** One call of the REST API. */
export interface ApiCall {
  readonly method?: Call['method'];
  /** Relative to the API's base address, without a leading slash, already encoded. */
  readonly path: string;
  readonly token: HostToken;
  /** Media type; `application/vnd.github+json`. */
  readonly accept?: string;
  readonly json?: unknown;
  readonly signal?: AbortSignal;
}

/** Sends one call. Throws a `DeployError` made from the attempt when there is no answer; every status is an answer. */
export type Api = (call: ApiCall, attempt: Attempt) => Promise<Answer>;

/** The API at a base address (https://docs.github.com/rest/using-the-rest-api/getting-started-with-the-rest-api). */
export function githubApi(base: string, userAgent: string, exchange: Exchange): Api {
  const root = base.endsWith('/') ? base : `${base}/`;
  return async ({ method = 'GET', path, token, accept = 'application/vnd.github+json', json, signal }, attempt) => {
    if (token !== null && !/^[\x21-\x7e]+$/.test(token)) throw unsendable(attempt);
    const body = json === undefined ? undefined : JSON.stringify(json);
    const headers = {
      accept,
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      'x-github-api-version': '2022-11-28',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const call = { method, url: new URL(path, root), headers, ...(body === undefined ? {} : { body }) };
    return exchange(signal ? { ...call, signal } : call).catch((cause: unknown) => {
      throw breakdown(attempt, cause);
    });
  };
}

function unsendable({ code, host }: Attempt): DeployError {
  return new DeployError(code, `The token holds characters that no token of ${host} has; nothing was sent.`, {
    retry: false,
  });
}

import { DeployError } from '../../core/errors.ts';
import type { HostToken } from '../../core/ports/repository-host.ts';
import type { Answer, Call, Exchange } from './exchange.ts';
import { type Attempt, breakdown } from './failures.ts';

/** One call of a host's REST API. */
export interface RestCall {
  readonly method?: Call['method'];
  /** Relative to the API's base address, without a leading slash, already encoded; or a whole address of the host. */
  readonly path: string;
  readonly token: HostToken;
  /** Media type, when it is not the usual one of the API. */
  readonly accept?: string;
  /** More headers, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly signal?: AbortSignal;
}

/** Sends one call. Throws a `DeployError` made from the attempt when there is no answer; every status is an answer. */
export type Rest = (call: RestCall, attempt: Attempt) => Promise<Answer>;

/** What the calls of an API have in common. */
export interface RestOptions {
  /** The API's base address. */
  readonly base: string;
  readonly userAgent: string;
  readonly exchange: Exchange;
  /** Headers of every call, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The headers that prove whose a call is. */
  readonly login: (token: string) => Readonly<Record<string, string>>;
}

/** The REST API at a base address. */
export function restApi({ base, userAgent, exchange, headers, login }: RestOptions): Rest {
  const root = base.endsWith('/') ? base : `${base}/`;
  return async ({ method = 'GET', path, token, accept, headers: more, json, signal }, attempt) => {
    if (token !== null && !/^[\x21-\x7e]+$/.test(token)) throw unsendable(attempt);
    const body = json === undefined ? undefined : JSON.stringify(json);
    const call = {
      method,
      url: new URL(path, root),
      headers: {
        ...headers,
        'accept-encoding': 'identity',
        'user-agent': userAgent,
        ...(accept === undefined ? {} : { accept }),
        ...(token === null ? {} : login(token)),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body === undefined ? {} : { body }),
    };
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

import { DeployError } from '../../core/errors.ts';
import type { HostToken } from '../../core/ports/repository-host.ts';
import { breakdown, type RequestContext } from './failures.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';

/** One call of a host's REST API. */
export interface RestRequest {
  readonly method?: HttpRequest['method'];
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
export type Rest = (request: RestRequest, requestContext: RequestContext) => Promise<HttpResponse>;

/** What the calls of an API have in common. */
export interface RestOptions {
  /** The API's base address. */
  readonly base: string;
  readonly userAgent: string;
  readonly httpClient: HttpClient;
  /** Headers of every call, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The headers that prove whose a call is. */
  readonly login: (token: string) => Readonly<Record<string, string>>;
}

/** The REST API at a base address. */
export function restApi({ base, userAgent, httpClient, headers, login }: RestOptions): Rest {
  const root = base.endsWith('/') ? base : `${base}/`;
  return async ({ method = 'GET', path, token, accept, headers: more, json, signal }, requestContext) => {
    if (token !== null && !/^[\x21-\x7e]+$/.test(token)) throw unsendable(requestContext);
    const body = json === undefined ? undefined : JSON.stringify(json);
    const request = {
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
    return httpClient(signal ? { ...request, signal } : request).catch((cause: unknown) => {
      throw breakdown(requestContext, cause);
    });
  };
}

function unsendable({ code, host }: RequestContext): DeployError {
  return new DeployError(code, `The token holds characters that no token of ${host} has; nothing was sent.`, {
    retry: false,
  });
}

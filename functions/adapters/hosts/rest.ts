import { DeployError } from '../../core/errors.ts';
import type { HostToken } from '../../core/ports/repository-host.ts';
import { breakdown, type RequestContext } from './failures.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http/http-client.ts';

export interface RestRequest {
  readonly method?: HttpRequest['method'];
  /** Relative to the API's base URL, without a leading slash, already encoded; or an absolute URL of the host. */
  readonly path: string;
  readonly token: HostToken;
  /** Media type, when it is not the API's default. */
  readonly accept?: string;
  /** Additional headers, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly signal?: AbortSignal;
}

/**
 * Sends one request and returns the response, whatever its status. Throws a `DeployError` of the context without one.
 */
export type Rest = (request: RestRequest, requestContext: RequestContext) => Promise<HttpResponse>;

export interface RestOptions {
  /** The API's base URL. */
  readonly base: string;
  readonly userAgent: string;
  readonly httpClient: HttpClient;
  /** Headers of every request, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the headers that authenticate with a token. */
  readonly login: (token: string) => Readonly<Record<string, string>>;
}

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
  return new DeployError(code, `The token contains characters that no token of ${host} has; nothing was sent.`, {
    retry: false,
  });
}

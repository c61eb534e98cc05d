import * as v from 'valibot';
import { DeployError } from '../../core/errors.ts';
import type { HostToken } from '../../core/ports/repository-host.ts';
import { breakdown, notUnderstood, type RequestContext, refusal } from './failures.ts';
import { readJson } from './http/body.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http/http-client.ts';

export interface RestRequest {
  readonly method?: HttpRequest['method'];
  /** Relative to the API's base URL, without a leading slash, already encoded; or an absolute URL of the host. */
  readonly path: string;
  /** Media type, when it is not the API's default. */
  readonly accept?: string;
  /** Additional headers, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly signal?: AbortSignal;
}

/** The API of a host, with a token and for one purpose, which its errors name. */
export interface Api {
  readonly purpose: RequestContext;
  /** Returns the API with another token, or for another purpose. */
  with(other: { readonly token?: HostToken; readonly what?: string }): Api;
  /** Sends one request and returns the response, whatever its status. Throws a `DeployError` without one. */
  send(request: RestRequest): Promise<HttpResponse>;
  /** Sends one request and returns its answer as `parse` does. */
  read<T>(schema: v.GenericSchema<unknown, T>, request: RestRequest): Promise<T>;
  /** Sends one request. Throws the host's refusal unless it responds with 200 or 201. */
  write(request: RestRequest): Promise<void>;
  /**
   * Returns the parsed JSON body of a response. Throws the host's refusal when there is none (the status is not 200 or
   * 201), and a retryable error when it does not match the schema.
   */
  parse<T>(schema: v.GenericSchema<unknown, T>, response: HttpResponse, maxBytes?: number): Promise<T>;
  /** Returns the error for an unexpected response, whose body it reads. */
  refusal(response: HttpResponse): Promise<DeployError>;
}

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

export function restApi(options: RestOptions, purpose: RequestContext, token: HostToken): Api {
  const send: Api['send'] = async (request) => {
    const sent = httpRequest(options, { ...request, token }, purpose);
    return options.httpClient(sent).catch((cause: unknown) => {
      throw breakdown(purpose, cause);
    });
  };
  const parse: Api['parse'] = async (schema, response, maxBytes) => {
    if (!isDone(response)) throw await refusal(purpose, response);
    const result = v.safeParse(schema, await readJson(response, maxBytes));
    if (result.success) return result.output;
    throw notUnderstood(purpose);
  };
  return {
    purpose,
    with: ({ token: other = token, ...what }) => restApi(options, { ...purpose, ...what }, other),
    send,
    read: async (schema, request) => parse(schema, await send(request)),
    write: async (request) => {
      const response = await send(request);
      if (!isDone(response)) throw await refusal(purpose, response);
      response.discard();
    },
    parse,
    refusal: (response) => refusal(purpose, response),
  };
}

function isDone({ status }: HttpResponse): boolean {
  return status === 200 || status === 201;
}

function httpRequest(
  { base, headers, login, userAgent }: RestOptions,
  { method = 'GET', path, token, accept, headers: more, json, signal }: RestRequest & { readonly token: HostToken },
  purpose: RequestContext,
): HttpRequest {
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) throw unsendable(purpose);
  const body = json === undefined ? undefined : JSON.stringify(json);
  return {
    method,
    url: new URL(path, base.endsWith('/') ? base : `${base}/`),
    headers: {
      ...headers,
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      ...(accept !== undefined && { accept }),
      ...(token !== null && login(token)),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  };
}

function unsendable({ code, host }: RequestContext): DeployError {
  return new DeployError(code, `The token contains characters that no token of ${host} has; nothing was sent.`, {
    retry: false,
  });
}

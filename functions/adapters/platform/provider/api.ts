import { DeployError, type ErrorCode } from '../../../core/errors.ts';
import { parseJson } from '../../../core/json.ts';
import { readRetryAfter } from '../http/answers.ts';
import { addressOf, baseUrl, isPathSegment } from '../http.ts';
import { limitedText } from '../limited-text.ts';
import { type ServiceToken, withServiceToken } from '../service-token.ts';

/** A call of a provider's API. */
export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The segments of the path, not encoded. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** On Heroku: pages of lists, for example `version ..; order=desc,max=1`. */
  readonly range?: string;
  /** The media type of the answer when it is not JSON: `text/plain`. */
  readonly mediaType?: string;
  /** The error code of a failure. */
  readonly code: ErrorCode;
  /** Names the call in error messages: `the build of 1.0.0-7`. */
  readonly what: string;
  /** Statuses other than 2xx that are not failures. */
  readonly accept?: readonly number[];
}

export interface ProviderAnswer {
  readonly status: number;
  /** Undefined when it is not JSON. */
  readonly body: unknown;
  readonly text: string;
  /** The header `Location`: the address of an operation that the call has begun. */
  readonly location: string | null;
}

/** Makes a call and returns the answer. Throws the request's code for a refusal, and for no answer. */
export type ProviderApi = (request: ProviderRequest) => Promise<ProviderAnswer>;

/** In what the APIs of providers differ. */
export interface Provider {
  readonly name: string;
  readonly accept: string;
  /** Seconds until a call that was one too many is tried again, when the answer does not say. */
  readonly limitPauseSeconds: number;
  /** Statuses below 500 of refusals that a later call may not meet. */
  readonly temporary: readonly number[];
  /** Returns the sentence in a refusal, or null. */
  readonly messageIn: (body: unknown) => string | null;
}

export interface ProviderApiOptions extends ServiceToken {
  readonly url: string;
  readonly fetch?: typeof fetch;
  /** Default 10 seconds. */
  readonly timeoutMs?: number;
}

/** The provider does not accept the service's own token. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
}

interface RawAnswer extends ProviderAnswer {
  readonly retryAfter: string | null;
}

/** Returns a provider's API, called with the token of the service. */
export function providerApi(provider: Provider, options: ProviderApiOptions): ProviderApi {
  const { fetch = globalThis.fetch, timeoutMs = 10_000 } = options;
  const base = baseUrl(options.url);
  const withToken = withServiceToken(options);
  return async (request) => {
    if (!request.path.every(isPathSegment)) throw new DeployError(request.code, 'A name cannot be part of a path.');
    const signal = AbortSignal.timeout(timeoutMs);
    const send = async (token: string): Promise<RawAnswer> =>
      answerOf(await fetch(addressOf(base, request), { ...initOf(request, token, provider), signal }));
    // A suspended function keeps connections that the provider has since closed; what changes nothing is asked again.
    const again = (error: unknown, token: string) => {
      if (signal.aborted || request.method !== 'GET') throw error;
      return send(token);
    };
    const answer = await withToken((token) => send(token).catch((error: unknown) => again(error, token))).catch(
      (cause: unknown) => {
        throw cause instanceof TokenRefused ? refusedToken(request, provider) : noAnswer(request, provider, cause);
      },
    );
    if ((answer.status >= 200 && answer.status < 300) || request.accept?.includes(answer.status)) return answer;
    throw refused(request, answer, provider);
  };
}

async function answerOf(response: Response): Promise<RawAnswer> {
  const text = await limitedText(response);
  const parsed = parseJson(text);
  const { headers, status } = response;
  const body = parsed.ok ? parsed.value : undefined;
  return { status, body, text, location: headers.get('location'), retryAfter: headers.get('retry-after') };
}

function initOf(request: ProviderRequest, token: string, { accept }: Provider): RequestInit {
  const { method, json, range, mediaType } = request;
  return {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: mediaType ?? accept,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(range !== undefined && { range }),
    },
    body: json === undefined ? null : JSON.stringify(json),
    // The token must not be sent to another address.
    redirect: 'manual',
  };
}

function noAnswer({ code, what }: ProviderRequest, { name }: Provider, cause: unknown): DeployError {
  return new DeployError(code, `${name} did not answer ${what}; try again.`, { retry: true, cause });
}

function refusedToken({ code }: ProviderRequest, { name }: Provider): DeployError {
  const detail = `${name} does not accept the API token of the service; store a valid one in PlatformTokenSecret.`;
  return new DeployError(code, detail, { retry: false });
}

function refused(request: ProviderRequest, { status, body, retryAfter }: RawAnswer, provider: Provider): DeployError {
  const { code, what } = request;
  if (status === 401) return refusedToken(request, provider);
  if (status === 429) {
    const seconds = readRetryAfter(retryAfter, Date.now()) ?? provider.limitPauseSeconds;
    const detail = `${provider.name} limits the number of calls, and ${what} was one too many; it is tried again.`;
    return new DeployError(code, detail, { retry: true, retryAfter: seconds });
  }
  const detail = `${provider.name} refused ${what} (${status}): ${provider.messageIn(body) ?? 'no reason given'}`;
  return new DeployError(code, detail, { retry: status >= 500 || provider.temporary.includes(status) });
}

import { DeployError, type ErrorCode } from '../../../core/errors.ts';
import { isObject, parseJson } from '../../../core/json.ts';
import { oneLine } from '../../../core/text.ts';
import { readRetryAfter } from '../http/answers.ts';
import { addressOf, baseUrl, isPathSegment } from '../http.ts';
import { type ServiceToken, withServiceToken } from '../service-token.ts';

/** The address of Heroku's Platform API: https://devcenter.heroku.com/articles/platform-api-reference */
export const HEROKU_API = 'https://api.heroku.com';

/** A call of the Platform API. */
export interface HerokuRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The segments of the path, not encoded. */
  readonly path: readonly string[];
  readonly json?: unknown;
  /** Pages of lists, for example `version ..; order=desc,max=1`. */
  readonly range?: string;
  /** The error code of a failure. */
  readonly code: ErrorCode;
  /** What is called, for error messages: `the build of 1.0.0-7`. */
  readonly what: string;
  /** Statuses other than 2xx that are not failures. */
  readonly accept?: readonly number[];
}

export interface HerokuAnswer {
  readonly status: number;
  /** Undefined when it is not JSON. */
  readonly body: unknown;
}

/** Makes a call and returns the answer. Throws the request's code for a refusal, and for no answer. */
export type HerokuApi = (request: HerokuRequest) => Promise<HerokuAnswer>;

export interface HerokuApiOptions extends ServiceToken {
  /** Base address of the API; default: Heroku's own. */
  readonly url?: string;
  readonly fetch?: typeof fetch;
  /** Default 10 seconds. */
  readonly timeoutMs?: number;
}

/** A request takes one of 4500 tokens, of which an hour brings 4500 new ones; the answer does not say when. */
const RATE_LIMIT_PAUSE_SECONDS = 60;
const MAX_MESSAGE_LENGTH = 300;

interface RawAnswer extends HerokuAnswer {
  readonly retryAfter: string | null;
}

/** Returns the Platform API, called with the token of the service. */
export function herokuApi(options: HerokuApiOptions): HerokuApi {
  const { url = HEROKU_API, fetch = globalThis.fetch, timeoutMs = 10_000 } = options;
  const base = baseUrl(url);
  const withToken = withServiceToken(options);
  return async (request) => {
    if (!request.path.every(isPathSegment)) throw new DeployError(request.code, 'A name cannot be part of a path.');
    const signal = AbortSignal.timeout(timeoutMs);
    const send = async (token: string): Promise<RawAnswer> => {
      const response = await fetch(addressOf(base, request), { ...initOf(request, token), signal });
      const parsed = parseJson(await response.text());
      const retryAfter = response.headers.get('retry-after');
      return { status: response.status, body: parsed.ok ? parsed.value : undefined, retryAfter };
    };
    // A suspended function keeps connections that Heroku has since closed; what changes nothing is asked again.
    const again = (error: unknown, token: string) => {
      if (signal.aborted || request.method !== 'GET') throw error;
      return send(token);
    };
    const answer = await withToken((token) => send(token).catch((error: unknown) => again(error, token))).catch(
      (cause: unknown) => {
        throw new DeployError(request.code, `Heroku did not answer ${request.what}; try again.`, {
          retry: true,
          cause,
        });
      },
    );
    if ((answer.status >= 200 && answer.status < 300) || request.accept?.includes(answer.status)) return answer;
    throw refused(request, answer);
  };
}

/** Returns the sentence of Heroku's `{ "id", "message" }`, or null. */
export function messageIn(body: unknown): string | null {
  return isObject(body) && typeof body.message === 'string' ? oneLine(body.message, MAX_MESSAGE_LENGTH) : null;
}

function initOf({ method, json, range }: HerokuRequest, token: string): RequestInit {
  return {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.heroku+json; version=3',
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(range !== undefined && { range }),
    },
    body: json === undefined ? null : JSON.stringify(json),
    // The token must not be sent to another address.
    redirect: 'manual',
  };
}

function refused({ code, what }: HerokuRequest, { status, body, retryAfter }: RawAnswer): DeployError {
  if (status === 401) {
    const detail = 'Heroku does not accept the API token of the service; store a valid one in PlatformTokenSecret.';
    return new DeployError(code, detail, { retry: false });
  }
  if (status === 429) {
    const seconds = readRetryAfter(retryAfter, Date.now()) ?? RATE_LIMIT_PAUSE_SECONDS;
    const detail = `Heroku limits the number of calls, and ${what} was one too many; it is tried again.`;
    return new DeployError(code, detail, { retry: true, retryAfter: seconds });
  }
  const detail = `Heroku refused ${what} (${status}): ${messageIn(body) ?? 'no reason given'}`;
  return new DeployError(code, detail, { retry: status >= 500 || status === 408 || status === 409 });
}

import { DeployError, type ErrorCode } from '../../core/errors.ts';
import { readJson, readLog, readRetryAfter, readSentence } from './http-answer.ts';

/** One call of the platform API. */
export interface PlatformRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** For whom the service acts. */
  readonly user: string;
  /** The path's segments, as they are. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: Readonly<Record<string, unknown>>;
  readonly bytes?: { readonly body: AsyncIterable<Uint8Array>; readonly length: number };
  readonly timeoutMs: number;
  /** What a failure is called. */
  readonly code: ErrorCode;
  /** What is tried, for the sentence: `the upload of 1.0.0-7`. */
  readonly what: string;
  /** Statuses beside 2xx that are an answer and not a failure. */
  readonly accept?: readonly number[];
  /** The status in the 5xx with which the platform says that the work itself has failed, so that trying again is idle. */
  readonly failsWith?: number;
}

export interface PlatformAnswer {
  readonly status: number;
  /** Undefined when it is not JSON. */
  readonly body: unknown;
}

/** Makes a call and gives the answer; throws the request's code for a refusal and for no answer. */
export type PlatformCall = (request: PlatformRequest) => Promise<PlatformAnswer>;

/** The calls to the platform API at `url`. Throws at once when that is no HTTP address, or one that holds credentials. */
export function platformCall(options: {
  readonly url: string;
  readonly serviceToken: string;
  readonly fetch?: typeof fetch;
}): PlatformCall {
  const { serviceToken, fetch = globalThis.fetch } = options;
  const base = baseUrl(options.url);
  return async (request) => {
    const url = addressOf(base, request);
    const { response, text } = await exchange(fetch, url, request, serviceToken).catch((cause: unknown) => {
      throw noAnswer(request, cause);
    });
    const answer = { status: response.status, body: readJson(text) };
    if (response.ok || request.accept?.includes(answer.status)) return answer;
    throw refused(request, answer, response.headers.get('retry-after'));
  };
}

interface Exchanged {
  readonly response: Response;
  readonly text: string;
}

async function exchange(
  fetch: typeof globalThis.fetch,
  url: string,
  request: PlatformRequest,
  serviceToken: string,
): Promise<Exchanged> {
  const signal = AbortSignal.timeout(request.timeoutMs);
  const init = { ...initOf(request, serviceToken), signal };
  const send = async () => {
    const response = await fetch(url, init);
    return { response, text: await response.text() };
  };
  // A function that slept keeps connections which the other side has closed meanwhile: the first use of one fails. Every
  // call may be made twice, but a stream can be read only once.
  return send().catch((error: unknown) => (signal.aborted || request.bytes ? Promise.reject(error) : send()));
}

function initOf({ method, user, json, bytes }: PlatformRequest, serviceToken: string): RequestInit {
  return {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${user}:${serviceToken}`).toString('base64')}`,
      accept: 'application/json',
      ...(json && { 'content-type': 'application/json' }),
      ...(bytes && { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) }),
    },
    body: json ? JSON.stringify(json) : (bytes?.body ?? null),
    // A body that is a stream is only sent when this is said: https://fetch.spec.whatwg.org/#dom-requestinit-duplex
    ...(bytes && { duplex: 'half' as const }),
    // The service's token is for this address only.
    redirect: 'manual',
  };
}

function noAnswer({ code, what, timeoutMs }: PlatformRequest, cause: unknown): DeployError {
  const late = cause instanceof Error && cause.name === 'TimeoutError';
  const when = late ? ` within ${timeoutMs / 1000} seconds` : '';
  return new DeployError(code, `The platform did not answer ${what}${when}.`, { retry: true, cause });
}

function refused(request: PlatformRequest, answer: PlatformAnswer, retryAfter: string | null): DeployError {
  const { status, body } = answer;
  const sentence = readSentence(body);
  const seconds = readRetryAfter(retryAfter, Date.now());
  const isVerdict = status === request.failsWith && sentence !== null;
  return new DeployError(
    request.code,
    `The platform refused ${request.what} (${status}): ${sentence ?? 'no reason given'}`,
    {
      retry: !isVerdict && isPassing(status),
      logTail: readLog(body),
      ...(seconds !== undefined && { retryAfter: seconds }),
    },
  );
}

/** Whether a status is a state of the moment: the same request may be answered better later. */
function isPassing(status: number): boolean {
  if (status >= 500) return status !== 501 && status !== 505;
  return status === 408 || status === 425 || status === 429;
}

function addressOf(base: string, { path, query, code }: PlatformRequest): string {
  // Segments of dots are resolved away by every URL parser, percent-encoded or not, and would lead to another call.
  if (path.some((segment) => /^\.{0,2}$|\p{Cs}/u.test(segment))) {
    throw new DeployError(code, 'The name of the user or the application cannot stand in a path.', { retry: false });
  }
  const search = query ? `?${new URLSearchParams(query)}` : '';
  return `${base}/${path.map(encodeURIComponent).join('/')}${search}`;
}

function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  // fetch would refuse such an address too, but with a message that quotes the password.
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Error('The address of the platform must be an http or https URL without credentials.');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

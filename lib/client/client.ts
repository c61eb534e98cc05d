import { jsonIn } from '../../functions/core/json-value.ts';
import { alive, fieldsOf, linesOf } from './lines.ts';

/** The login of a user: password or API token. */
export interface Login {
  readonly user: string;
  readonly secret: string;
}

export interface ApiRequest {
  /** Segments of the path below `/1`; they are encoded. */
  readonly path: readonly string[];
  readonly method?: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without a byte after which a stream counts as dead: three heartbeats of the service. */
  readonly silenceMs?: number;
}

/**
 * The API, with the login of one user. Both methods throw a `Problem` when the service refuses, and any other error when
 * it does not answer.
 */
export interface Client {
  readonly user: string;
  /** Returns the body of an answer; null for one without. */
  call(request: ApiRequest): Promise<unknown>;
  /** Yields the lines of a stream as they arrive. Leaving the loop ends the connection. */
  lines(request: ApiRequest): AsyncGenerator<string, void>;
}

interface ClientOptions extends Login {
  /** The service's address, without a slash at the end. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends all requests. */
  readonly signal?: AbortSignal;
  /** Time limit of `call` for the answer's head, and for its body. */
  readonly timeoutMs?: number;
}

/** A request with credentials that is answered 401 would make a browser ask for a login with its own dialog. */
const IN_BROWSERS = { credentials: 'omit', cache: 'no-store' } as const;
const TIMEOUT_MS = 60_000;
export const SILENCE_MS = 45_000;

/** A refusal of the service: its problem document (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly status: number,
    /** A code of the service's error table; null when something else has answered. */
    readonly code: string | null,
    readonly title: string,
    readonly detail: string,
    /** A login that is not valid, or no longer: a refused pairing has the same status. */
    readonly isLogin: boolean,
    /** The pause that the service asks for. */
    readonly retryAfterMs: number | null,
  ) {
    super(`it answered ${status}${code === null ? '' : ` (${code})`}${detail && `: ${detail}`}`);
  }

  /** Whether the same request may succeed later: the service fails, or is asked too often. */
  get isPassing(): boolean {
    return this.status >= 500 || this.status === 408 || this.status === 429;
  }
}

/** Returns the client of a service for one user. */
export function client(options: ClientOptions): Client {
  const { user, signal: all, timeoutMs = TIMEOUT_MS } = options;
  const alsoEnding = ({ signal, silenceMs = SILENCE_MS }: ApiRequest) => ({ silenceMs, signals: [all, signal] });
  const send = async (request: ApiRequest, accept: string, ending: AbortController) => {
    const { method = 'GET', body } = request;
    return fetch(addressOf(options.url, request), {
      method,
      headers: {
        accept,
        authorization: basic(options),
        ...options.headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...IN_BROWSERS,
      // A redirect could lead the login to another host.
      redirect: 'manual',
      signal: ending.signal,
    });
  };
  return {
    user,
    call: async (request) => {
      const ending = new AbortController();
      const within = alsoEnding({ ...request, silenceMs: Math.min(timeoutMs, request.silenceMs ?? timeoutMs) });
      try {
        const response = await alive(send(request, 'application/json', ending), within);
        const text = await alive(response.text(), within);
        const value = jsonIn(text);
        if (!response.ok || (text !== '' && value === undefined)) throw problemOf(response, value);
        return text === '' ? null : value;
      } finally {
        ending.abort();
      }
    },
    async *lines(request) {
      const ending = new AbortController();
      const within = alsoEnding(request);
      try {
        const response = await alive(send(request, 'application/x-ndjson', ending), within);
        if (!response.ok) throw problemOf(response, jsonIn(await alive(response.text(), within)));
        const { body, headers } = response;
        // The login page of a proxy in between is a 200 as well.
        const isOurs = /^application\/(?:x-ndjson|json)\b/.test(headers.get('content-type') ?? '');
        if (!body || !isOurs) throw problemOf(response, undefined);
        yield* linesOf(body, within);
      } finally {
        ending.abort();
      }
    },
  };
}

/** Returns the login as the value of `Authorization`: base64 of UTF-8 (RFC 7617). */
export function basic({ user, secret }: Login): string {
  const bytes = new TextEncoder().encode(`${user}:${secret}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** Returns whether an address leads to this machine, so that no other one can call it. */
export function isLoopback(url: string): boolean {
  return /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/.test(new URL(url).hostname);
}

function addressOf(url: string, { path, query = {} }: ApiRequest): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return `${url}/1/${path.map(encodeURIComponent).join('/')}${text && `?${text}`}`;
}

function problemOf({ status, headers }: Response, said: unknown): Problem {
  const { code, title, detail } = fieldsOf(said);
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return new Problem(
    status,
    typeof code === 'string' ? code : null,
    text(title),
    text(detail),
    status === 401 && headers.has('www-authenticate') && code !== 'mw:auth:not_you',
    seconds >= 0 ? seconds * 1000 : null,
  );
}

/** Returns why a request failed, as a part of a sentence. `fetch` puts its reason into the error's cause. */
export function causeOf(error: unknown): string {
  const { cause } = fieldsOf(error);
  const shown = cause instanceof Error ? cause : error;
  const { code, message } = fieldsOf(shown);
  return String((shown instanceof Problem ? undefined : code) ?? message ?? shown);
}

import { basicHeader, type Credentials } from '../../../core/basic-auth.ts';
import { jsonIn } from '../../../core/json.ts';

export interface PlatformRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The segments of the path, not encoded; each must pass `isPathSegment`. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
  readonly json?: unknown;
  readonly bytes?: { readonly body: AsyncIterable<Uint8Array>; readonly length: number };
  readonly timeoutMs: number;
  /** Refuses the call (412) unless what it changes has this tag; null: whatever it has. */
  readonly ifMatch?: string | null;
  /** The address of the client on whose behalf it is sent. */
  readonly client?: string | undefined;
}

export interface PlatformResponse {
  readonly status: number;
  /** Undefined when it is not JSON. */
  readonly body: unknown;
  readonly retryAfter: string | null;
  readonly etag: string | null;
}

/** Sends a request and returns the response, whatever its status. Rejects without a complete response in time. */
type PlatformHttp = (request: PlatformRequest) => Promise<PlatformResponse>;

/** The part of `fetch` that is used here. */
type PlatformFetch = (address: string, init: PlatformInit) => Promise<PlatformAnswer>;

interface PlatformInit {
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly body?: string | AsyncIterable<Uint8Array> | null;
  readonly duplex?: 'half';
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** A response whose body has not been read. */
export interface PlatformAnswer {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body: (AsyncIterable<Uint8Array> & { cancel(): Promise<void> }) | null;
}

export interface PlatformHttpOptions {
  /** Base address of the platform API, without credentials in it. */
  readonly url: string;
  readonly fetch?: PlatformFetch;
}

/**
 * Returns the HTTP client of the platform API at `url`. Throws when that is not an HTTP address or contains
 * credentials.
 */
export function platformHttp({ url, fetch = globalThis.fetch }: PlatformHttpOptions): PlatformHttp {
  const base = baseUrl(url);
  return async (request) => {
    const address = addressOf(base, request);
    const signal = AbortSignal.timeout(request.timeoutMs);
    const init = { ...initOf(request), signal };
    const send = async (): Promise<PlatformResponse> => {
      const response = await fetch(address, init);
      const retryAfter = response.headers.get('retry-after');
      const etag = response.headers.get('etag');
      return { status: response.status, body: jsonIn(await limitedText(response)), retryAfter, etag };
    };
    try {
      return await send();
    } catch (error) {
      // A suspended function keeps connections that the server has since closed, and the first request on one fails.
      // Every request may be repeated, but a stream can be read only once.
      if (signal.aborted || request.bytes) throw error;
      return send();
    }
  };
}

/** Returns the address of a call; each segment of the path must pass `isPathSegment`. */
export function addressOf(base: string, { path, query }: Pick<PlatformRequest, 'path' | 'query'>): string {
  const search = query ? `?${new URLSearchParams(query)}` : '';
  return `${base}/${path.map(encodeURIComponent).join('/')}${search}`;
}

function initOf({
  method,
  credentials: { user, secret },
  json,
  bytes,
  ifMatch,
  client,
}: PlatformRequest): Omit<PlatformInit, 'signal'> {
  return {
    method,
    headers: {
      authorization: basicHeader(`${user}:${secret}`),
      accept: 'application/json',
      ...(ifMatch && { 'if-match': ifMatch }),
      ...(client && { 'x-forwarded-for': client }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(bytes && { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) }),
    },
    body: json === undefined ? (bytes?.body ?? null) : JSON.stringify(json),
    // Required for a body that is a stream: https://fetch.spec.whatwg.org/#dom-requestinit-duplex
    ...(bytes && { duplex: 'half' as const }),
    // Credentials must not be sent to another address.
    redirect: 'manual',
  };
}

/**
 * Returns the base address of the platform API without a slash at the end. Throws when it is none or has credentials.
 */
export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  // fetch would refuse such an address too, but with a message that quotes the password.
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Error('The address of the platform must be an http or https URL without credentials.');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The longest documented answer, a list of apps, has some hundred kilobytes. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Returns the body of an answer as text. Throws when it is too long to be the answer of any call. */
async function limitedText(response: PlatformAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`The answer is longer than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** The service's own token, which acts for every user. */
export interface ServiceToken {
  /** The token, or what reads it at its first call. */
  readonly serviceToken: string | (() => Promise<string>);
  /** Reads the token again: an operator may have replaced it. Without this, it never changes. */
  readonly renewToken?: () => Promise<string>;
}

type Send<T> = (token: string) => Promise<T>;

/**
 * Returns a function that sends a request with the token. After a 401 the token is read again and, when it is another
 * one, the request is sent a second time. So an instance that has the token in memory survives its replacement.
 */
export function withServiceToken({
  serviceToken,
  renewToken,
}: ServiceToken): <T extends { readonly status: number }>(send: Send<T>) => Promise<T> {
  let known = typeof serviceToken === 'string' ? serviceToken : undefined;
  return async (send) => {
    const used = known ?? (typeof serviceToken === 'string' ? serviceToken : await serviceToken());
    known ??= used;
    const response = await send(used);
    if (response.status !== 401 || !renewToken) return response;
    // Another request may have read the new one meanwhile.
    if (known === used) known = await renewToken();
    return known === used ? response : send(known);
  };
}

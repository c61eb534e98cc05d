import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressPolicy } from './address-policy.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** An HTTP response. The caller must either read the body, once, or call `discard`. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
  discard(): void;
}

/** Sends one request. Throws a network error, `TimedOut`, or `RefusedAddress`. */
export type HttpClient = (request: HttpRequest) => Promise<HttpResponse>;

/** Time limits in milliseconds. */
export interface Timeouts {
  /** For name resolution, TCP and TLS together. */
  readonly connectMs: number;
  /** Until the response headers arrive; a host may create the tarball first. */
  readonly firstByteMs: number;
  /** Between two chunks of the body; time that the reader takes does not count. */
  readonly idleMs: number;
}

class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

export const usualTimeouts: Timeouts = { connectMs: 10_000, firstByteMs: 30_000, idleMs: 30_000 };

/**
 * Returns an HTTP client over `node:http`, which follows no redirects and accepts a `lookup` function to check
 * addresses; `fetch` supports neither without another dependency. It also starts faster: `@octokit/request` would add
 * 15 kB and 4 ms to a cold start and `fetch` 14 ms, for five requests. Bodies are streamed with backpressure.
 *
 * Connections are kept alive. If the host has closed one in the meantime, for example while the Lambda function was
 * frozen, the request is repeated once on a new connection (https://nodejs.org/api/http.html#requestreusedsocket), so
 * any request may be sent twice.
 */
export function createHttpClient(policy: AddressPolicy, timeouts: Timeouts = usualTimeouts): HttpClient {
  const agents = {
    http: new http.Agent({ keepAlive: true, maxFreeSockets: 4 }),
    https: new https.Agent({ keepAlive: true, maxFreeSockets: 4 }),
  };
  return async (request) => {
    policy.check(request.url);
    try {
      return await send(request, { policy, timeouts, agents });
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return send(request, { policy, timeouts, agents: undefined });
    }
  };
}

class StaleConnection extends Error {}

interface SendOptions {
  readonly policy: AddressPolicy;
  readonly timeouts: Timeouts;
  /** Undefined: use a new connection. */
  readonly agents: { readonly http: http.Agent; readonly https: https.Agent } | undefined;
}

function send(request: HttpRequest, { policy, timeouts, agents }: SendOptions): Promise<HttpResponse> {
  const secure = request.url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const outgoing = (secure ? https : http).request(request.url, {
      method: request.method,
      headers: { ...request.headers, ...length(request.body) },
      agent: agents === undefined ? false : secure ? agents.https : agents.http,
      lookup: policy.lookup,
      ...(request.signal ? { signal: request.signal } : {}),
    });
    const wait = timeoutTimer((error) => outgoing.destroy(error));
    wait.start(timeouts.connectMs, 'connect');
    outgoing.on('socket', (socket) => {
      const connected = () => wait.start(timeouts.firstByteMs, 'answer');
      if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', connected);
      else connected();
    });
    outgoing.on('response', (response) => {
      wait.stop();
      resolve(responseOf(response, timeouts.idleMs));
    });
    outgoing.on('error', (error) => {
      wait.stop();
      const stale = outgoing.reusedSocket && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(stale && !request.signal?.aborted ? new StaleConnection() : error);
    });
    outgoing.end(request.body);
  });
}

function responseOf(response: IncomingMessage, idleMs: number): HttpResponse {
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: chunks(response, idleMs),
    discard: () => discard(response, idleMs),
  };
}

/** A host says in less than this what it has not found. */
const SHORT_BYTES = 16 * 1024;

/** A short body is read to its end, so that the next request has the connection; a long one is cut off with it. */
function discard(response: IncomingMessage, idleMs: number): void {
  if (!(Number(response.headers['content-length']) <= SHORT_BYTES)) return void response.destroy();
  response.setTimeout(idleMs, () => void response.destroy());
  response.on('error', () => {}).resume();
}

async function* chunks(response: IncomingMessage, idleMs: number): AsyncGenerator<Uint8Array> {
  const wait = timeoutTimer((error) => response.destroy(error));
  const source: AsyncIterator<Uint8Array> = response[Symbol.asyncIterator]();
  try {
    while (true) {
      wait.start(idleMs, 'send more');
      const next = await source.next();
      wait.stop();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    wait.stop();
    response.destroy();
  }
}

/**
 * Returns a timer that calls `giveUp` unless it is stopped in time. Starting it again replaces the previous time limit.
 */
function timeoutTimer(giveUp: (error: TimedOut) => void) {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const start = (milliseconds: number, what: string) => {
    stop();
    timer = setTimeout(() => giveUp(new TimedOut(`it did not ${what} within ${milliseconds / 1000} s`)), milliseconds);
  };
  return { start, stop };
}

function length(body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

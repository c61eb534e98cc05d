import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressPolicy } from './address-policy.ts';

/** One HTTP request. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** Its answer. The body is read once, or given up with `discard`; one of the two must happen. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
  discard(): void;
}

/** Sends one request. Throws what the network throws, `TimedOut`, or `RefusedAddress`. */
export type HttpClient = (request: HttpRequest) => Promise<HttpResponse>;

/** How long to wait, in milliseconds. */
export interface Timeouts {
  /** Until name resolution, TCP and TLS are through. */
  readonly connectMs: number;
  /** Until the answer's head is there; a host may make the tarball first. */
  readonly firstByteMs: number;
  /** Between two chunks that were asked for; time that the reader takes itself does not count. */
  readonly idleMs: number;
}

/** The other side took too long. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

export const usualTimeouts: Timeouts = { connectMs: 10_000, firstByteMs: 30_000, idleMs: 30_000 };

/**
 * HTTP over node's own client, which follows no redirects and lets the lookup be checked (`policy`); neither can be had
 * from `fetch` without another dependency. It is also cheap to start: `@octokit/request` would add 15 kB and 4 ms to a
 * cold start and `fetch` 14 ms, for five calls. Bodies stream with back-pressure.
 *
 * Connections are kept for the next call. One that the host closed meanwhile, while a Lambda was frozen for instance, is
 * replaced once (https://nodejs.org/api/http.html#requestreusedsocket); every call made here may be sent twice.
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
  /** Undefined: a connection of its own. */
  readonly agents: { readonly http: http.Agent; readonly https: https.Agent } | undefined;
}

function send(request: HttpRequest, { policy, timeouts, agents }: SendOptions): Promise<HttpResponse> {
  const secure = request.url.protocol === 'https:';
  const { promise, resolve, reject } = settled<HttpResponse>();
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
  return promise;
}

function responseOf(response: IncomingMessage, idleMs: number): HttpResponse {
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: chunks(response, idleMs),
    discard: () => void response.destroy(),
  };
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

/** One timer at a time: starting it again ends the one before. */
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

function settled<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
}

import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** The options of `fetch` that are supported here. */
interface LocalRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array> | null;
  readonly signal?: AbortSignal;
  /** The socket of the server, in place of the address's host and port. */
  readonly socketPath?: string;
}

/** The answer, whatever its status: a part of what `fetch` returns. A body that nobody reads has to be cancelled. */
export interface LocalAnswer {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> & { cancel(): Promise<void> };
  text(): Promise<string>;
}

/**
 * Sends a request to an http server of this machine, as `fetch` does without redirects. That one loads another HTTP
 * client, in WebAssembly, which takes 10 MB of memory from its first request on. Each request has a connection of its
 * own, because a kept one may be closed just when it is used again; here a new one takes a tenth of a millisecond.
 */
export async function localFetch(address: string, options: LocalRequest = {}): Promise<LocalAnswer> {
  const { method = 'GET', body = null, signal, socketPath } = options;
  signal?.throwIfAborted();
  const more = { ...(signal && { signal }), ...(socketPath !== undefined && { socketPath }) };
  const sent = request(address, { method, headers: headersOf(options), agent: false, ...more });
  return answerOf(await withReason(answerTo(sent, body), signal), signal);
}

function headersOf({ headers, body }: LocalRequest): Record<string, string> {
  return { ...headers, ...(typeof body === 'string' && { 'content-length': String(Buffer.byteLength(body)) }) };
}

/** Resolves with the answer, which may come before the body has been sent: the rest of it may fail then. */
function answerTo(sent: ClientRequest, body: LocalRequest['body']): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
    if (typeof body === 'string' || !body) sent.end(body ?? '');
    else pipeline(body, sent).catch(reject);
  });
}

function answerOf(message: IncomingMessage, signal: AbortSignal | undefined): LocalAnswer {
  // While nobody reads the body, the end of its connection must not end the process.
  message.on('error', () => {});
  const status = message.statusCode ?? 0;
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name) => headerIn(message, name) },
    body: {
      [Symbol.asyncIterator]: () => chunks(message, signal),
      cancel: async () => void message.destroy(),
    },
    text: async () => Buffer.concat(await withReason(message.toArray(), signal)).toString(),
  };
}

async function* chunks(message: IncomingMessage, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* message;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** An abort rejects with its reason, as that of `fetch` does: a time limit has another name. */
async function withReason<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

function headerIn({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

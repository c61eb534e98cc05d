import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from './gateway-error.ts';

/** A parsed HTTP request; the body is read separately. */
export interface GatewayRequest {
  readonly requestId: string;
  readonly receivedAt: number;
  readonly httpMethod: string;
  /** As sent: percent-encoded, without the query. */
  readonly path: string;
  readonly protocol: string;
  readonly host: string;
  readonly sourceIp: string;
  readonly userAgent: string | null;
  /** The last value of each name; names keep their case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly multiValueHeaders: Readonly<Record<string, string[]>>;
  readonly query: Readonly<Record<string, string>> | null;
  readonly multiValueQuery: Readonly<Record<string, string[]>> | null;
}

// https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
const MAX_BODY_BYTES = 10 * 1024 * 1024;
// A client that still sends a rejected body after this time is disconnected.
const DRAIN_MS = 10_000;

/** Reads everything but the body of a request. */
export function readRequest(message: IncomingMessage, requestId: string): GatewayRequest {
  const [path, query] = splitTarget(message.url ?? '/');
  const multiValueQuery = groupByName(new URLSearchParams(query));
  const multiValueHeaders = groupByName(headerPairs(message));
  return {
    requestId,
    receivedAt: Date.now(),
    httpMethod: message.method ?? 'GET',
    path,
    protocol: `HTTP/${message.httpVersion}`,
    host: message.headers.host ?? 'localhost',
    sourceIp: message.socket.remoteAddress ?? '127.0.0.1',
    userAgent: message.headers['user-agent'] ?? null,
    headers: lastValues(multiValueHeaders),
    multiValueHeaders,
    query: query === '' ? null : lastValues(multiValueQuery),
    multiValueQuery: query === '' ? null : multiValueQuery,
  };
}

/**
 * Reads the body, at most 10 MB. A client that expects `100 Continue` gets it, unless the body is too long.
 *
 * @throws GatewayError REQUEST_TOO_LARGE; the rest of the body is then read and discarded, so that the client sees the
 * response
 */
export async function readBody(
  message: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): Promise<Buffer> {
  const length = message.headers['content-length'];
  if (length === undefined && message.headers['transfer-encoding'] === undefined) return Buffer.alloc(0);
  if (Number(length) > MAX_BODY_BYTES) {
    if (expectsContinue) response.shouldKeepAlive = false;
    else discard(message);
    throw tooLarge();
  }
  if (expectsContinue) response.writeContinue();
  return collect(message);
}

function collect(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    message.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) return chunks.push(chunk);
      message.removeAllListeners('data');
      discard(message);
      return reject(tooLarge());
    });
    message.on('end', () => resolve(Buffer.concat(chunks)));
    message.on('error', reject);
  });
}

function discard(message: IncomingMessage): void {
  const cut = setTimeout(() => message.destroy(), DRAIN_MS).unref();
  message.on('close', () => clearTimeout(cut));
  message.resume();
}

function tooLarge(): GatewayError {
  return new GatewayError('REQUEST_TOO_LARGE', { reason: `the body is over ${MAX_BODY_BYTES} bytes` });
}

function splitTarget(target: string): [string, string] {
  // A proxy may send the absolute form, http://host/path.
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = origin.indexOf('?');
  return mark < 0 ? [origin || '/', ''] : [origin.slice(0, mark) || '/', origin.slice(mark + 1)];
}

function* headerPairs(message: IncomingMessage): Generator<[string, string]> {
  const { rawHeaders, headers, socket } = message;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.toLowerCase() !== 'x-forwarded-for') yield [name, rawHeaders[at + 1] ?? ''];
  }
  const hops = [headers['x-forwarded-for'], socket.remoteAddress].flat().filter(Boolean);
  yield ['X-Forwarded-For', hops.join(', ')];
  // Only this machine connects, so a proxy or tunnel in front is trusted to report the client's protocol and address.
  if (headers['x-forwarded-proto'] === undefined) yield ['X-Forwarded-Proto', 'http'];
  if (headers['x-forwarded-port'] === undefined) yield ['X-Forwarded-Port', String(socket.localPort)];
}

function groupByName(pairs: Iterable<[string, string]>): Record<string, string[]> {
  // No prototype, because a client may send a parameter named __proto__.
  const grouped: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    const values = grouped[name];
    if (values) values.push(value);
    else grouped[name] = [value];
  }
  return grouped;
}

function lastValues(grouped: Readonly<Record<string, string[]>>): Record<string, string> {
  const last: Record<string, string> = Object.create(null);
  for (const name in grouped) last[name] = grouped[name]?.at(-1) ?? '';
  return last;
}

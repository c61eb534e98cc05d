import type { IncomingMessage } from 'node:http';

/** A parsed HTTP request; the body is read separately. */
export interface GatewayRequest {
  readonly requestId: string;
  readonly receivedAt: number;
  readonly httpMethod: string;
  /** As sent: percent-encoded, without the query and the stage. */
  readonly path: string;
  /** With the stage, when it was sent with one. */
  readonly wholePath: string;
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
    wholePath: path,
    protocol: `HTTP/${message.httpVersion}`,
    host: message.headers.host ?? `127.0.0.1:${message.socket.localPort}`,
    sourceIp: message.socket.remoteAddress ?? '127.0.0.1',
    userAgent: message.headers['user-agent'] ?? null,
    headers: lastValues(multiValueHeaders),
    multiValueHeaders,
    query: query === '' ? null : lastValues(multiValueQuery),
    multiValueQuery: query === '' ? null : multiValueQuery,
  };
}

/** The domain names of AWS's own, at which paths begin with the stage. */
const OWN_DOMAIN = /\.execute-api\./;

/**
 * Returns a request as the stage gets it: without its name, which paths begin with at AWS's own domain names. Null when
 * such a path does not.
 *
 * The root of the stage is there with a slash at its end and without one; the whole path stays as it was sent:
 * https://github.com/floci-io/floci/issues/1557
 */
export function atStage(request: GatewayRequest, stage: string): GatewayRequest | null {
  if (!OWN_DOMAIN.test(request.host)) return request;
  const [, first, rest] = /^\/([^/]*)(.*)$/.exec(request.path) ?? [];
  return first === stage ? { ...request, path: rest || '/' } : null;
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
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!/^x-forwarded-(?:for|proto|port)$/i.test(name)) yield [name, value];
  }
  const hops = [headers['x-forwarded-for'], socket.remoteAddress].flat().filter(Boolean);
  yield ['X-Forwarded-For', hops.join(', ')];
  yield ['X-Forwarded-Proto', 'http'];
  yield ['X-Forwarded-Port', String(socket.localPort)];
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

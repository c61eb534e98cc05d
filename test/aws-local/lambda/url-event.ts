import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import * as v from 'valibot';

/**
 * What the web adapter reads of an event in the payload format 2.0.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
 */
export const UrlEvent = v.looseObject({
  version: v.literal('2.0'),
  rawPath: v.string(),
  rawQueryString: v.optional(v.string(), ''),
  cookies: v.optional(v.array(v.string()), []),
  headers: v.record(v.string(), v.string()),
  requestContext: v.looseObject({ http: v.looseObject({ method: v.string() }) }),
  body: v.nullish(v.string(), ''),
  isBase64Encoded: v.optional(v.boolean(), false),
});
export type UrlEvent = v.InferOutput<typeof UrlEvent>;

/** The head of the response of a function behind the web adapter. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
}

/** Returns the event of a request to a function URL. */
export function eventOf(request: IncomingMessage, body: Buffer, requestId: string): UrlEvent {
  const { method = 'GET', url = '/', socket } = request;
  const [rawPath = '/', rawQueryString = ''] = url.split(/\?(.*)/s);
  const { cookie, host = '', connection: _hop, ...headers } = singleHeaders(request.headers);
  const now = new Date();
  const query = [...new URLSearchParams(rawQueryString)];
  const isText =
    body.length === 0 ||
    /^(?:text\/|application\/(?:json|javascript|xml|[\w.]+\+(?:json|xml)|x-www-form-urlencoded))/.test(
      headers['content-type'] ?? '',
    );
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    cookies: cookie === undefined ? [] : cookie.split(/; */),
    headers: {
      ...headers,
      host,
      'x-forwarded-for': socket.remoteAddress ?? '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-port': String(socket.localPort),
      'x-amzn-trace-id': `Root=1-${Math.floor(now.getTime() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`,
    },
    ...(query.length > 0 && { queryStringParameters: joined(query) }),
    requestContext: {
      accountId: 'anonymous',
      apiId: host.split(/[.:]/)[0] ?? '',
      domainName: host,
      domainPrefix: host.split(/[.:]/)[0] ?? '',
      http: {
        method,
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: socket.remoteAddress ?? '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey: '$default',
      stage: '$default',
      time: now.toUTCString(),
      timeEpoch: now.getTime(),
    },
    body: isText ? body.toString('utf8') : body.toString('base64'),
    isBase64Encoded: !isText,
  };
}

/** Headers of several values are joined, as Lambda does. */
function singleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(',') : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function joined(query: readonly (readonly [string, string])[]): Record<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of query) values.set(name, values.has(name) ? `${values.get(name)},${value}` : value);
  return Object.fromEntries(values);
}

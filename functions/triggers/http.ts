import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { DeployError, problem } from '../core/errors.ts';
import { version } from '../core/version.ts';
import { refuseCrossSite } from './cross-site.ts';
import { allowedOrigin, cors } from './origins.ts';
import { requestUuid } from './request-uuid.ts';
import { trace } from './trace.ts';

/** A parsed request to an endpoint. */
export interface HttpRequest {
  readonly method: string;
  /** The route's path as the API declares it, with variables in braces. */
  readonly resource: string;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The bytes as received. */
  readonly body: Uint8Array;
  readonly path: string;
  /** The address of the service that this request used, without a slash at the end. */
  readonly base: string;
  /** The request's `x-api-uuid`. */
  readonly uuid: string;
  /** The authenticated user; empty at endpoints without login. */
  readonly user: string;
}

/** An answer. A body that is not a string is sent as JSON. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Returns the handler of an endpoint behind API Gateway, which refuses what a browser sends from a page of another
 * site. Every answer has `x-api-uuid` and `x-api-version`. A
 * DeployError becomes its problem document, any other error `request:failed`; causes are only logged.
 */
export function httpTrigger(answer: (request: HttpRequest) => Promise<HttpAnswer>, publicUrl: string | null = null) {
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(cors())
    .use(problems(publicUrl))
    .handler(async (event) => {
      const request = readRequest(event, publicUrl);
      refuseCrossSite(request);
      return render(await answer(request), request.uuid);
    });
}

/** Returns the middleware that answers an error with its problem document. */
export function problems(publicUrl: string | null): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return {
    onError: (request) => {
      const uuid = requestUuid(request.event);
      const error = asDeployError(request.error, uuid);
      const base = baseAddress(request.event, publicUrl);
      request.response = render(problemAnswer(error, { base, uuid }), uuid);
    },
  };
}

/** Returns the problem document of an error as an answer. */
export function problemAnswer(error: DeployError, request: Pick<HttpRequest, 'base' | 'uuid'>): HttpAnswer {
  return {
    status: error.status,
    headers: {
      'content-type': 'application/problem+json',
      ...(error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }),
    },
    body: problem(error.code, error.detail, request),
  };
}

function asDeployError(error: unknown, uuid: string): DeployError {
  if (error instanceof DeployError && error.cause === undefined) return error;
  trace('request failed', { uuid, error });
  if (error instanceof DeployError) return error;
  return new DeployError('request:failed', `Nothing more is known here; the log knows it under ${uuid}.`);
}

function render(answer: HttpAnswer, uuid: string): APIGatewayProxyResult {
  const { status, headers = {}, body } = answer;
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return { ...head(status, { ...type, ...headers }, uuid), body: text };
}

/** Returns the status and the headers of any answer in the form of API Gateway. */
export function head(status: number, headers: Readonly<Record<string, string>>, uuid: string) {
  return { statusCode: status, headers: { ...headers, 'x-api-uuid': uuid, 'x-api-version': version } };
}

/**
 * Returns the request in an event of API Gateway. `publicUrl` replaces the address that the request used. A page of an
 * allowed origin counts as one of the service. Throws
 * `request:throttled` when the authorizer could not check the login.
 */
export function readRequest(event: APIGatewayProxyEvent, publicUrl: string | null): HttpRequest {
  checkThrottled(event.requestContext.authorizer?.throttled);
  const isOwnPage = allowedOrigin(event) !== null;
  const headers = { ...lowerCase(event.headers ?? {}), ...(isOwnPage && { 'sec-fetch-site': 'same-origin' }) };
  return {
    method: event.httpMethod,
    resource: event.resource,
    path: event.path,
    params: decoded(event.pathParameters ?? {}),
    query: event.queryStringParameters ?? {},
    headers,
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    base: baseAddress(event, publicUrl),
    uuid: requestUuid(event),
    user: String(event.requestContext.authorizer?.user ?? ''),
  };
}

/**
 * Returns the service's address without a slash at the end. It includes the stage on AWS's own domain names and not on
 * a custom domain, so it is computed from the difference of the two paths in the event.
 */
function baseAddress({ path, requestContext, ...event }: APIGatewayProxyEvent, publicUrl: string | null): string {
  if (publicUrl !== null) return publicUrl;
  const headers = lowerCase(event.headers ?? {});
  const whole = requestContext.path ?? path;
  const stage = whole.endsWith(path) ? whole.slice(0, whole.length - path.length) : '';
  const domain = requestContext.domainName ?? headers.host ?? 'localhost';
  return `${headers['x-forwarded-proto'] ?? 'https'}://${domain}${stage.replace(/\/$/, '')}`;
}

function checkThrottled(seconds: unknown): void {
  if (seconds === undefined || seconds === null) return;
  const detail = `Too many passwords were wrong or are being checked; try again in ${seconds} s, or use an API token.`;
  throw new DeployError('request:throttled', detail, { retryAfter: Number(seconds) });
}

function lowerCase(headers: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function decoded(params: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value && decode(value)]));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { clientError, loginThrottled, problemAnswer, rendered } from '../api/answers.ts';
import { refuseCrossSite } from '../api/cross-site.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { decodePercent } from '../core/basic-auth.ts';
import { DeployError } from '../core/errors.ts';
import { cors, eventOrigin } from './origins.ts';
import { requestUuid } from './request-uuid.ts';
import { trace } from './trace.ts';

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
      const error = clientError(request.error, uuid, trace);
      const base = baseAddress(request.event, publicUrl);
      request.response = render(problemAnswer(error, { base, uuid }), uuid);
    },
  };
}

function render(answer: HttpAnswer, uuid: string): APIGatewayProxyResult {
  const { status, headers, body } = rendered(answer, uuid);
  return { statusCode: status, headers: { ...headers }, body: typeof body === 'string' ? body : decodeUtf8(body) };
}

function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/**
 * Returns the request in an event of API Gateway. `publicUrl` replaces the address that the request used. A page of an
 * allowed origin counts as one of the service. Throws
 * `request:throttled` when the authorizer could not check the login, and `request:forbidden` when its token may not do it.
 */
export function readRequest(event: APIGatewayProxyEvent, publicUrl: string | null): HttpRequest {
  const { throttled, forbidden, user = '' } = event.requestContext.authorizer ?? {};
  if (throttled !== undefined && throttled !== null) throw loginThrottled(Number(throttled));
  if (typeof forbidden === 'string') throw new DeployError('request:forbidden', forbidden);
  const isOwnPage = eventOrigin(event) !== null;
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
    user: String(user ?? ''),
    ...tokenIn(event),
  };
}

function tokenIn({ requestContext }: APIGatewayProxyEvent): Pick<HttpRequest, 'token'> {
  const { token: name, rights } = requestContext.authorizer ?? {};
  if (typeof name !== 'string') return {};
  return { token: { name, ...((rights === 'read' || rights === 'deploy') && { rights }) } };
}

/**
 * Returns the service's address without a slash at the end. It includes the stage on AWS's own domain names and not on
 * a custom domain, so it is computed from the difference of the two paths in the event.
 */
function baseAddress({ path, requestContext, ...event }: APIGatewayProxyEvent, publicUrl: string | null): string {
  if (publicUrl !== null) return publicUrl;
  const headers = lowerCase(event.headers ?? {});
  const whole = requestContext.path ?? path;
  // The root of a stage is requested with a slash at its end or without one; `path` has it in both cases.
  const end = path === '/' ? '' : path;
  const stage = whole.endsWith(end) ? whole.slice(0, whole.length - end.length) : '';
  const domain = requestContext.domainName ?? headers.host ?? 'localhost';
  return `${headers['x-forwarded-proto'] ?? 'https'}://${domain}${stage.replace(/\/$/, '')}`;
}

function lowerCase(headers: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function decoded(params: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, value && (decodePercent(value) ?? value)]),
  );
}

import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { routes } from '../core/routes.ts';
import { version } from '../core/version.ts';
import { header } from './header.ts';
import { requestUuid } from './request-uuid.ts';

/** The part of an event that says from which page it comes, and which pages may read the answers. */
type FromPage = Pick<APIGatewayProxyEvent, 'headers'> & Partial<Pick<APIGatewayProxyEvent, 'stageVariables'>>;

/** The request headers that a page may send in addition to the CORS-safelisted ones. */
const REQUEST_HEADERS = 'authorization, content-type, last-event-id, prefer';
/** The response headers that a page may read in addition to the CORS-safelisted ones. */
const RESPONSE_HEADERS = 'allow, etag, link, location, preference-applied, retry-after, x-api-uuid, x-api-version';
const METHODS = [...new Set(routes.map(({ method }) => method))].join(', ');
const MAX_AGE_SECONDS = 600;

/**
 * Returns the origin of the page that sends a request, when the operator allows its pages to (`AllowedOrigins`, a
 * variable of the stage: a change of it needs no new deployment of the API); null for all others.
 */
export function allowedOrigin({ headers, stageVariables }: FromPage): string | null {
  const origin = header(headers, 'origin');
  const allowed = (stageVariables?.allowedOrigins ?? '').split(',').map((one) => one.trim().toLowerCase());
  return origin && allowed.includes(origin.toLowerCase()) ? origin : null;
}

/**
 * Returns the middleware that lets the pages of allowed origins read answers, and answers their preflight requests.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function cors(): MiddlewareObj<APIGatewayProxyEvent, Pick<APIGatewayProxyResult, 'headers'>> {
  const addHeaders = ({ event, response }: { event: APIGatewayProxyEvent; response: unknown }) => {
    const origin = allowedOrigin(event);
    if (origin === null || !isAnswer(response)) return;
    response.headers = { ...response.headers, ...corsHeaders(origin, response.headers) };
  };
  return {
    before: ({ event }) => {
      const origin = allowedOrigin(event);
      if (origin === null || event.httpMethod !== 'OPTIONS') return undefined;
      return { statusCode: 204, headers: preflightHeaders(origin, requestUuid(event)), body: '' };
    },
    after: addHeaders,
    onError: addHeaders,
  };
}

type Headers = Record<string, string | number | boolean>;

function isAnswer(response: unknown): response is { headers?: Headers } {
  return typeof response === 'object' && response !== null;
}

function corsHeaders(origin: string, { vary }: Headers = {}): Headers {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': RESPONSE_HEADERS,
    vary: vary === undefined ? 'origin' : `${vary}, origin`,
  };
}

function preflightHeaders(origin: string, uuid: string): Record<string, string> {
  return {
    'x-api-uuid': uuid,
    'x-api-version': version,
    'access-control-allow-origin': origin,
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': REQUEST_HEADERS,
    'access-control-max-age': String(MAX_AGE_SECONDS),
    vary: 'origin, access-control-request-method, access-control-request-headers',
  };
}

import type { HttpAnswer } from './http.ts';
import { routes } from './routes.ts';

/** The request headers that a page may send in addition to the CORS-safelisted ones. */
const REQUEST_HEADERS = 'authorization, content-type, last-event-id, prefer';
/** The response headers that a page may read in addition to the CORS-safelisted ones. */
const RESPONSE_HEADERS = 'allow, etag, link, location, preference-applied, retry-after, x-api-uuid, x-api-version';
const METHODS = [...new Set(routes.map(({ method }) => method))].join(', ');
const MAX_AGE_SECONDS = 600;

/**
 * Returns the origin of the page that sends a request when it is one of the allowed ones, which are in lower case; null
 * for all others.
 */
export function allowedOrigin(origin: string | undefined, allowed: readonly string[]): string | null {
  return origin && allowed.includes(origin.toLowerCase()) ? origin : null;
}

export function originsIn(list: string): readonly string[] {
  return list.split(',').map((one) => one.trim().toLowerCase());
}

/**
 * Returns the headers that let a page of an allowed origin read an answer.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function corsHeaders(origin: string, vary: string | undefined): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': RESPONSE_HEADERS,
    vary: vary === undefined ? 'origin' : `${vary}, origin`,
  };
}

export function preflightAnswer(origin: string): HttpAnswer {
  return {
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': String(MAX_AGE_SECONDS),
      vary: 'origin, access-control-request-method, access-control-request-headers',
    },
  };
}

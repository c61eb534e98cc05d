import { type AddressPolicy, RefusedAddress } from './address-policy.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';

const MAX_REDIRECTS = 5;
const anyMethodRedirects = new Set([307, 308]);
const getRedirects = new Set([301, 302, 303, 307, 308]);
/** GitLab sends tokens in `Private-Token`. */
const secretHeaders = new Set(['authorization', 'private-token', 'cookie']);

/**
 * Returns a client that follows redirects: the policy must allow each target, and the token is sent only to the first
 * origin. GitHub redirects tarballs (to `codeload`) and renamed repositories
 * (https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects).
 */
export function followRedirects(httpClient: HttpClient, policy: Pick<AddressPolicy, 'check'>): HttpClient {
  return async (first) => {
    let request = first;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      policy.check(request.url);
      const response = await httpClient(request);
      const target = targetOf(request, response);
      if (target === null) return response;
      response.discard();
      request = { ...request, url: target, headers: headersFor(target, request) };
    }
    throw new RefusedAddress(`it redirects more than ${MAX_REDIRECTS} times`);
  };
}

function targetOf(request: HttpRequest, { status, headers }: HttpResponse): URL | null {
  const follows = request.method === 'GET' ? getRedirects : anyMethodRedirects;
  if (!follows.has(status) || headers.location === undefined) return null;
  if (!URL.canParse(headers.location, request.url.href)) {
    throw new RefusedAddress('it redirects to something that is not an address');
  }
  return new URL(headers.location, request.url);
}

function headersFor(target: URL, request: HttpRequest): HttpRequest['headers'] {
  if (target.origin === request.url.origin) return request.headers;
  return Object.fromEntries(Object.entries(request.headers).filter(([name]) => !secretHeaders.has(name)));
}

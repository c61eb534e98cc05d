import { type AddressPolicy, RefusedAddress } from './address-policy.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';

const maxHops = 5;
const repeatAny = new Set([307, 308]);
/** GitLab has a header of its own for tokens. */
const secret = new Set(['authorization', 'private-token', 'cookie']);
const repeatGet = new Set([301, 302, 303, 307, 308]);

/**
 * An exchange that follows redirects by hand: each hop must lie within the host's reach, and the token goes only to the
 * host it was sent to first. GitHub answers with them for tarballs (to `codeload`) and for renamed repositories
 * (https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects).
 */
export function followRedirects(httpClient: HttpClient, policy: Pick<AddressPolicy, 'check'>): HttpClient {
  return async (first) => {
    let request = first;
    for (let hop = 0; hop <= maxHops; hop += 1) {
      policy.check(request.url);
      const response = await httpClient(request);
      const target = targetOf(request, response);
      if (target === null) return response;
      response.discard();
      request = { ...request, url: target, headers: headersFor(target, request) };
    }
    throw new RefusedAddress(`it redirects more than ${maxHops} times`);
  };
}

function targetOf(request: HttpRequest, { status, headers }: HttpResponse): URL | null {
  const follows = request.method === 'GET' ? repeatGet : repeatAny;
  if (!follows.has(status) || headers.location === undefined) return null;
  if (!URL.canParse(headers.location, request.url.href)) {
    throw new RefusedAddress('it redirects to something that is not an address');
  }
  return new URL(headers.location, request.url);
}

function headersFor(target: URL, request: HttpRequest): HttpRequest['headers'] {
  if (target.origin === request.url.origin) return request.headers;
  return Object.fromEntries(Object.entries(request.headers).filter(([name]) => !secret.has(name)));
}

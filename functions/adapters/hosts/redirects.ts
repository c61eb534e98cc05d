import type { Answer, Call, Exchange } from './exchange.ts';
import { type Reach, RefusedAddress } from './reach.ts';

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
export function followRedirects(exchange: Exchange, reach: Pick<Reach, 'check'>): Exchange {
  return async (first) => {
    let call = first;
    for (let hop = 0; hop <= maxHops; hop += 1) {
      reach.check(call.url);
      const answer = await exchange(call);
      const target = targetOf(call, answer);
      if (target === null) return answer;
      answer.discard();
      call = { ...call, url: target, headers: headersFor(target, call) };
    }
    throw new RefusedAddress(`it redirects more than ${maxHops} times`);
  };
}

function targetOf(call: Call, { status, headers }: Answer): URL | null {
  const follows = call.method === 'GET' ? repeatGet : repeatAny;
  if (!follows.has(status) || headers.location === undefined) return null;
  if (!URL.canParse(headers.location, call.url.href)) {
    throw new RefusedAddress('it redirects to something that is not an address');
  }
  return new URL(headers.location, call.url);
}

function headersFor(target: URL, call: Call): Call['headers'] {
  if (target.origin === call.url.origin) return call.headers;
  return Object.fromEntries(Object.entries(call.headers).filter(([name]) => !secret.has(name)));
}

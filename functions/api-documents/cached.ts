import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { entityTag, hasTag } from '../core/entity-tag.ts';

export interface Document {
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Asked = Pick<HttpRequest, 'base' | 'headers'>;

/** A service has one address for its clients; another one is only a Host header that somebody has made up. */
const MAX_ADDRESSES = 4;

/**
 * Returns the answer with a document that depends on the service's address only, or `304` when the client has it
 * already. It is made once for an address, because that takes milliseconds, and its bytes are shared by all answers.
 */
export function cached(make: (base: string) => Document): (request: Asked) => HttpAnswer {
  const made = new Map<string, { readonly whole: HttpAnswer; readonly unchanged: HttpAnswer; readonly etag: string }>();
  return ({ base, headers }) => {
    const { whole, unchanged, etag } = made.get(base) ?? answersWith(make(base));
    made.delete(base);
    made.set(base, { whole, unchanged, etag }); // A Map keeps insertion order: the most recently used is last.
    const [oldest] = made.keys();
    if (made.size > MAX_ADDRESSES && oldest !== undefined) made.delete(oldest);
    return hasTag(headers['if-none-match'], etag) ? unchanged : whole;
  };
}

function answersWith({ type, body, headers }: Document) {
  const etag = entityTag(body);
  const caching = { 'cache-control': 'no-cache', etag, ...headers };
  return {
    etag,
    unchanged: { status: 304, headers: caching },
    whole: { status: 200, headers: { ...caching, 'content-type': type }, body: Buffer.from(body) },
  };
}

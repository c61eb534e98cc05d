import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { entityTag, hasTag } from '../core/entity-tag.ts';

/** A document before it is answered. */
export interface Document {
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a document with its ETag, or `304` when the client has it already. */
export function cached({ headers }: Pick<HttpRequest, 'headers'>, document: Document): HttpAnswer {
  const { type, body } = document;
  const etag = entityTag(body);
  const caching = { 'cache-control': 'no-cache', etag, ...document.headers };
  if (hasTag(headers['if-none-match'], etag)) return { status: 304, headers: caching };
  return { status: 200, headers: { ...caching, 'content-type': type }, body };
}

import { createHash } from 'node:crypto';
import { type ErrorCode, errorRow, errors, problemType } from '../../core/errors.ts';
import type { HttpAnswer, HttpRequest } from '../../triggers/http.ts';
import { advice } from './advice.ts';
import { type Explanation, page } from './page.ts';

/**
 * `GET /errors`, without login: every error code with its status, its reason and what to do about it. Browsers get a
 * page with an anchor per code, all others `{"errors": […]}`.
 */
export async function explainErrors({ base, headers }: Pick<HttpRequest, 'base' | 'headers'>): Promise<HttpAnswer> {
  const explanations = Object.keys(errors).map((code) => explain(code as ErrorCode, base));
  const html = headers.accept?.includes('text/html') ?? false;
  const body = html ? page(explanations) : JSON.stringify({ errors: explanations });
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
  const caching = { 'cache-control': 'no-cache', vary: 'accept', etag };
  if (headers['if-none-match']?.includes(etag)) return { status: 304, headers: caching };
  const type = html ? 'text/html; charset=utf-8' : 'application/json';
  return { status: 200, headers: { ...caching, 'content-type': type }, body };
}

function explain(code: ErrorCode, base: string): Explanation {
  const { status, retry, title } = errorRow(code);
  return { type: problemType(base, code), code, status, retry, reason: title, advice: advice[code] };
}

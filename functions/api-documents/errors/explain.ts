import type { HttpAnswer, HttpRequest } from '../../api/http.ts';
import { type ErrorCode, errorRow, errors, problemType } from '../../core/errors.ts';
import { cached } from '../cached.ts';
import { advice } from './advice.ts';
import { type Explanation, errorsPage } from './page.ts';

/**
 * `GET /errors`, without login: every error code with its status, its reason and what to do about it. Browsers get a
 * page with an anchor per code, all others `{"errors": […]}`.
 */
export async function explainErrors(request: Pick<HttpRequest, 'base' | 'headers'>): Promise<HttpAnswer> {
  const explanations = Object.keys(errors).map((code) => explain(code as ErrorCode, request.base));
  const html = request.headers.accept?.includes('text/html') ?? false;
  const document = html
    ? errorsPage(explanations)
    : { type: 'application/json', body: JSON.stringify({ errors: explanations }) };
  return cached(request, { ...document, headers: { vary: 'accept', ...document.headers } });
}

function explain(code: ErrorCode, base: string): Explanation {
  const { status, retry, title } = errorRow(code);
  return { type: problemType(base, code), code, status, retry, reason: title, advice: advice[code] };
}

import type { HttpAnswer, HttpRequest } from '../../api/http.ts';
import type { ErrorExplanation } from '../../api/shapes/problems.ts';
import { type ErrorCode, errorRow, errors, problemType } from '../../core/errors.ts';
import { cached, type Document } from '../cached.ts';
import { advice } from './advice.ts';
import { errorsPage } from './page.ts';

const asPage = cached((base) => withVary(errorsPage(explanations(base))));
const asJson = cached((base) => {
  const body = JSON.stringify({ errors: explanations(base) });
  return withVary({ type: 'application/json', body });
});

/**
 * `GET /errors`, without login: every error code with its status, its reason and what to do about it. Browsers get a
 * page with an anchor per code, all others `{"errors": […]}`.
 */
export function explainErrors(request: Pick<HttpRequest, 'base' | 'headers'>): HttpAnswer {
  return request.headers.accept?.includes('text/html') ? asPage(request) : asJson(request);
}

function withVary(document: Document): Document {
  return { ...document, headers: { vary: 'accept', ...document.headers } };
}

function explanations(base: string): ErrorExplanation[] {
  return Object.keys(errors).map((code) => explain(code as ErrorCode, base));
}

function explain(code: ErrorCode, base: string): ErrorExplanation {
  const { status, retry, title } = errorRow(code);
  return { type: problemType(base, code), code, status, retry, reason: title, advice: advice[code] };
}

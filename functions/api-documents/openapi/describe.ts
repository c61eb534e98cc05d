import type { HttpAnswer, HttpRequest } from '../../api/http.ts';
import { cached } from '../cached.ts';
import { openApi } from './document.ts';
import { openApiPage } from './page/page.ts';

/** `GET /1/openapi.json`, without login: the description of the API, OpenAPI 3.1. */
export async function describeApi(request: Pick<HttpRequest, 'base' | 'headers'>): Promise<HttpAnswer> {
  return cached(request, { type: 'application/json', body: JSON.stringify(openApi(request.base)) });
}

/** `GET /1/openapi`, without login: the same as a page. */
export async function describeApiAsPage(request: Pick<HttpRequest, 'base' | 'headers'>): Promise<HttpAnswer> {
  return cached(request, openApiPage(openApi(request.base)));
}

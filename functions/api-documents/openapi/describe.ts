import { cached } from '../cached.ts';
import { openApi } from './document.ts';
import { openApiPage } from './page/page.ts';

/** `GET /1/openapi.json`, without login: the description of the API, OpenAPI 3.1. */
export const describeApi = cached((base) => ({ type: 'application/json', body: JSON.stringify(openApi(base)) }));

/** `GET /1/openapi`, without login: the same as a page. */
export const describeApiAsPage = cached((base) => openApiPage(openApi(base)));

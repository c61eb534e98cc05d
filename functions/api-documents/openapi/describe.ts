import { cached } from '../cached.ts';
import { openApi } from './document.ts';

/** `GET /1/openapi.json` and `GET /1/openapi`, without login: the description of the API, OpenAPI 3.1. */
export const describeApi = cached((base) => ({ type: 'application/json', body: JSON.stringify(openApi(base)) }));

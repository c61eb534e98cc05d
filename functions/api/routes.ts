import { endpoints } from './endpoints/endpoints.ts';
import type { Row } from './endpoints/row.ts';

/** What of an endpoint decides which function gets a request, and with which login. */
export interface Route extends Required<Pick<Row, 'function' | 'login' | 'needs'>>, Pick<Row, 'streams'> {
  readonly method: string;
  /** The path in API Gateway's notation, as events carry it in `resource`: no trailing slash, variables in braces. */
  readonly path: string;
}

/**
 * Every endpoint of the API as a router knows it: the stack builds the gateway from this table, `authorize` reads the
 * required login, and `api-unknown` the `Allow` of a 405. Bundles for AWS hold it computed, without what else is said of
 * the endpoints: `lib/stack/bundles.ts`.
 */
export const routes: readonly Route[] = Object.entries<Row>(endpoints).map(([endpoint, row]) => {
  const [method = '', path = ''] = endpoint.split(' ');
  const { function: name, login = 'user', needs = method === 'GET' ? 'read' : 'all', streams } = row;
  return { method, path, function: name, login, needs, ...(streams && { streams }) };
});

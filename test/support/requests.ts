import type { HttpRequest } from '../../functions/api/http.ts';

/** A request of `ann`, as the trigger hands it to an endpoint. */
export function request(patch: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: 'GET',
    resource: '/',
    path: '/',
    params: {},
    query: {},
    headers: {},
    body: new Uint8Array(),
    base: 'https://hooks.example.com',
    uuid: '00000000-0000-4000-8000-000000000001',
    user: 'ann',
    ...patch,
  };
}

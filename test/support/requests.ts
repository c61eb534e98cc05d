import type { HttpRequest } from '../../functions/api/http.ts';
import { basicHeader } from '../../functions/core/basic-auth.ts';
import type { StreamLogin } from '../../functions/core/login.ts';
import { memoryAccounts } from '../fakes/accounts.ts';

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

/** The accounts of a stream, and the headers with which `ann` opens it. */
export function annsLogin() {
  return {
    accounts: memoryAccounts([{ user: 'ann', secrets: ['s3cret'] }]),
    headers: { authorization: basicHeader('ann:s3cret') },
  };
}

/** The login of a stream that nobody revokes. */
export const LASTING_LOGIN: StreamLogin = { checkAt: Number.POSITIVE_INFINITY, hasLapsed: async () => false };

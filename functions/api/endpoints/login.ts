import { app } from '../parameters.ts';
import { type Endpoints, json, jsonBody } from './row.ts';

const ACCOUNT_CODES = ['auth:repohost:get_user_failed', 'auth:repohost:update_user_failed'] as const;

export const loginEndpoints = {
  // Before {host}: no repository host can have the name `tokens`.
  'GET /1/auth/tokens': {
    function: 'api-tokens',
    operationId: 'tokens',
    summary: 'The API tokens of the user',
    answers: { 200: json('The tokens, without their values.', 'Tokens') },
  },
  'POST /1/auth/tokens': {
    function: 'api-tokens',
    operationId: 'makeToken',
    summary: 'Makes an API token',
    description:
      '`{"name": "…"}`; `token` of the answer is shown this once. It takes the place of the password, and is made with the password ' +
      'only. With `"rights": "read"` it may only read, without values of variables; with `"deploy"` also deploy, release, cancel and roll back.',
    body: jsonBody('The name of the token: what it is for; and its rights.', 'TokenRequest'),
    answers: { 201: json('The token, which is shown this once.', 'NewToken') },
  },
  'DELETE /1/auth/tokens/{name}': {
    function: 'api-tokens',
    operationId: 'revokeToken',
    summary: 'Revokes an API token',
    answers: { 204: { description: 'It is revoked.' } },
    codes: ['status:db:not_found'],
  },
  // `repohost` is also a value of {host}. The login identifies the user.
  'POST /1/auth/{host}': {
    function: 'api-pair',
    operationId: 'pair',
    summary: 'Stores a token of a repository host',
    description:
      'It lets the service fetch private repositories and set commit statuses. With `app` it is for the statuses of one application only.',
    parameters: [app],
    body: jsonBody('The login at the host with a personal access token of it.', 'PairingRequest'),
    answers: { 201: json('It is stored.', 'Pairing') },
    codes: [
      ...(['auth:repohost:no_credentials', 'auth:repohost:bad_credentials'] as const),
      ...(['auth:repohost:github_pairing_failed', 'request:bad_parameter', 'request:not_found'] as const),
      ...(['request:too_large', ...ACCOUNT_CODES] as const),
    ],
  },
  'GET /1/auth/{host}': {
    function: 'api-pair',
    operationId: 'pairings',
    summary: 'The stored tokens of a repository host',
    answers: { 200: json('The tokens, without their values.', 'Pairings') },
    codes: ['request:not_found'],
  },
  'DELETE /1/auth/{host}': {
    function: 'api-pair',
    operationId: 'unpair',
    summary: 'Deletes the stored token of a repository host',
    parameters: [app],
    answers: { 200: json('It is no longer stored; it is still valid at the host.', 'ForgottenPairing') },
    codes: ['request:not_found', ...ACCOUNT_CODES],
  },
} as const satisfies Endpoints;

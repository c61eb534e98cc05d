/**
 * How a caller proves who they are, and with which codes a refusal answers: `deploy` refuses with
 * `deploy:auth:bad_creds`, `user` with `mw:auth:*` and, where the path has a `{user}`, only lets users at their own;
 * `none` asks for nothing.
 */
export type Login = 'deploy' | 'user' | 'none';

/** An endpoint of the API: which function answers it and which login it asks for. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path in API Gateway's notation, as events carry it in `resource`: no trailing slash, variables in braces. */
  readonly path: string;
  /** The folder under `functions/`, which is the function's name too. */
  readonly function: string;
  readonly login: Login;
  /** Whether the answer is sent on while the function writes it, for as long as 15 minutes. */
  readonly streams?: true;
}

/**
 * Every endpoint of the API. The stack builds the gateway from it, `authorize` takes the login from it and
 * `api-unknown` the `Allow` of a 405, so that none of them can know a route that the others do not.
 */
export const routes: readonly Route[] = [
  { method: 'POST', path: '/', function: 'api-deploy', login: 'deploy' },
  { method: 'POST', path: '/1/deploy', function: 'api-deploy', login: 'deploy' },
  { method: 'GET', path: '/1/status/{user}/webhooks', function: 'api-status', login: 'user' },
  { method: 'GET', path: '/1/status/{user}/webhooks/{application}', function: 'api-status', login: 'user' },
  { method: 'GET', path: '/1/status/{user}/changes', function: 'api-changes', login: 'user', streams: true },
  { method: 'GET', path: '/1/status/{user}/changes/{id}', function: 'api-change', login: 'user' },
  // `repohost` is a value of {host} too, and whose pairings they are the login says.
  { method: 'POST', path: '/1/auth/{host}', function: 'api-pair', login: 'user' },
  { method: 'GET', path: '/1/auth/{host}', function: 'api-pair', login: 'user' },
  { method: 'DELETE', path: '/1/auth/{host}', function: 'api-pair', login: 'user' },
  // Every error names this page as its `type`, so that it must open without a login; it says nothing about users.
  { method: 'GET', path: '/errors', function: 'api-errors', login: 'none' },
  { method: 'GET', path: '/1/badge/{user}/{repository}', function: 'api-badge', login: 'none' },
  // The short address that a readme embeds; `.svg` is part of {repository}.
  { method: 'GET', path: '/{user}/{repository}', function: 'api-badge', login: 'none' },
];

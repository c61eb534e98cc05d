/**
 * The authentication that a route requires. `deploy` refuses with `deploy:auth:bad_creds`; `user` refuses with
 * `mw:auth:*` and, where the path has a `{user}`, allows that user only; `none` requires nothing.
 */
type Login = 'deploy' | 'user' | 'none';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path in API Gateway's notation, as events carry it in `resource`: no trailing slash, variables in braces. */
  readonly path: string;
  /** Name of the function, and of its folder under `functions/`. */
  readonly function: string;
  readonly login: Login;
  /** Whether the response is streamed, for up to 15 minutes. */
  readonly streams?: true;
}

const table = [
  { method: 'POST', path: '/', function: 'api-deploy', login: 'deploy' },
  { method: 'POST', path: '/1/deploy', function: 'api-deploy', login: 'deploy' },
  { method: 'GET', path: '/1/status/{user}/webhooks', function: 'api-status', login: 'user' },
  { method: 'GET', path: '/1/status/{user}/webhooks/{application}', function: 'api-status', login: 'user' },
  { method: 'GET', path: '/1/status/{user}/refused', function: 'api-status', login: 'user' },
  { method: 'GET', path: '/1/status/{user}/changes', function: 'api-changes', login: 'user', streams: true },
  { method: 'GET', path: '/1/status/{user}/changes/{id}', function: 'api-entry', login: 'user' },
  {
    method: 'GET',
    path: '/1/status/{user}/changes/{id}/build-log',
    function: 'api-build-log',
    login: 'user',
    streams: true,
  },
  { method: 'POST', path: '/1/status/{user}/changes/{id}/release', function: 'api-entry', login: 'user' },
  { method: 'POST', path: '/1/status/{user}/changes/{id}/cancel', function: 'api-entry', login: 'user' },
  { method: 'GET', path: '/1/apps/{user}', function: 'api-apps', login: 'user' },
  { method: 'POST', path: '/1/apps/{user}', function: 'api-app-source', login: 'user' },
  { method: 'GET', path: '/1/apps/{user}/{application}', function: 'api-apps', login: 'user' },
  { method: 'DELETE', path: '/1/apps/{user}/{application}', function: 'api-app-operations', login: 'user' },
  { method: 'GET', path: '/1/apps/{user}/{application}/env', function: 'api-app-env', login: 'user' },
  { method: 'PATCH', path: '/1/apps/{user}/{application}/env', function: 'api-app-env', login: 'user' },
  { method: 'PUT', path: '/1/apps/{user}/{application}/env/{variable}', function: 'api-app-env', login: 'user' },
  { method: 'DELETE', path: '/1/apps/{user}/{application}/env/{variable}', function: 'api-app-env', login: 'user' },
  { method: 'GET', path: '/1/apps/{user}/{application}/settings', function: 'api-app-source', login: 'user' },
  { method: 'PATCH', path: '/1/apps/{user}/{application}/settings', function: 'api-app-source', login: 'user' },
  { method: 'POST', path: '/1/apps/{user}/{application}/transfer', function: 'api-app-source', login: 'user' },
  { method: 'POST', path: '/1/apps/{user}/{application}/rename', function: 'api-app-operations', login: 'user' },
  { method: 'GET', path: '/1/apps/{user}/{application}/processes', function: 'api-apps', login: 'user' },
  { method: 'PATCH', path: '/1/apps/{user}/{application}/processes', function: 'api-apps', login: 'user' },
  { method: 'GET', path: '/1/apps/{user}/{application}/domains', function: 'api-apps', login: 'user' },
  { method: 'PUT', path: '/1/apps/{user}/{application}/domains/{domain}', function: 'api-apps', login: 'user' },
  { method: 'DELETE', path: '/1/apps/{user}/{application}/domains/{domain}', function: 'api-apps', login: 'user' },
  { method: 'POST', path: '/1/apps/{user}/{application}/runs', function: 'api-apps', login: 'user' },
  { method: 'POST', path: '/1/apps/{user}/{application}/runs/{run}', function: 'api-apps', login: 'user' },
  {
    method: 'GET',
    path: '/1/apps/{user}/{application}/runs/{run}',
    function: 'api-app-logs',
    login: 'user',
    streams: true,
  },
  { method: 'POST', path: '/1/apps/{user}/{application}/restart', function: 'api-app-operations', login: 'user' },
  { method: 'POST', path: '/1/apps/{user}/{application}/stop', function: 'api-app-operations', login: 'user' },
  { method: 'POST', path: '/1/apps/{user}/{application}/rollback', function: 'api-app-operations', login: 'user' },
  { method: 'POST', path: '/1/apps/{user}/{application}/redeploy', function: 'api-app-source', login: 'user' },
  { method: 'POST', path: '/1/apps/{user}/{application}/deploy', function: 'api-app-source', login: 'user' },
  { method: 'POST', path: '/1/apps/{user}/{application}/reconcile', function: 'api-app-source', login: 'user' },
  { method: 'GET', path: '/1/apps/{user}/{application}/logs', function: 'api-app-logs', login: 'user', streams: true },
  // Before {host}: no repository host can have the name `tokens`.
  { method: 'GET', path: '/1/auth/tokens', function: 'api-tokens', login: 'user' },
  { method: 'POST', path: '/1/auth/tokens', function: 'api-tokens', login: 'user' },
  { method: 'DELETE', path: '/1/auth/tokens/{name}', function: 'api-tokens', login: 'user' },
  // `repohost` is also a value of {host}. The login identifies the user.
  { method: 'POST', path: '/1/auth/{host}', function: 'api-pair', login: 'user' },
  { method: 'GET', path: '/1/auth/{host}', function: 'api-pair', login: 'user' },
  { method: 'DELETE', path: '/1/auth/{host}', function: 'api-pair', login: 'user' },
  // Every error links to this page in its `type`, so it must open without a login. It contains no user data.
  { method: 'GET', path: '/errors', function: 'api-documents', login: 'none' },
  { method: 'GET', path: '/1/openapi.json', function: 'api-documents', login: 'none' },
  { method: 'GET', path: '/1/openapi', function: 'api-documents', login: 'none' },
  // The page has the login form. Both are streamed because only a stream passes compressed bytes on as they are.
  { method: 'GET', path: '/', function: 'api-page', login: 'none', streams: true },
  { method: 'GET', path: '/assets/{file}', function: 'api-page', login: 'none', streams: true },
  { method: 'GET', path: '/1/senders', function: 'api-page', login: 'none', streams: true },
  { method: 'GET', path: '/1/badge/{user}/{repository}', function: 'api-badge', login: 'none' },
  // The short address that a readme embeds; `.svg` is part of {repository}.
  { method: 'GET', path: '/{user}/{repository}', function: 'api-badge', login: 'none' },
] as const satisfies readonly Route[];

/**
 * Every endpoint of the API, for all that need to know them: the stack builds the gateway from this table, `authorize`
 * reads the required login, and `api-unknown` the `Allow` of a 405.
 */
export const routes: readonly Route[] = table;

type RouteOf<R> = R extends { readonly method: infer Method extends string; readonly path: infer Path extends string }
  ? `${Method} ${Path}`
  : never;

/** The method and path of a route. `api-documents/openapi` describes each, which the compiler checks. */
export type Endpoint = RouteOf<(typeof table)[number]>;

/** The functions that answer routes: each has its access on AWS and its work on one machine. */
export type EndpointFunction = (typeof table)[number]['function'];

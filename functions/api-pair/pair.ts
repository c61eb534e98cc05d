import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { nameProblem } from '../core/entry/package-name.ts';
import { DeployError } from '../core/errors.ts';
import { ANY_APP } from '../core/host-tokens.ts';
import type { RepositoryHost, Sealer, StoredToken } from '../core/ports/repository-host.ts';
import { readCredentials } from './credentials.ts';
import { checkRoom, forget, keep, type PairingsPorts, viewOf } from './pairings.ts';

interface PairableHost {
  readonly name: string;
  readonly host: Pick<RepositoryHost, 'pair'>;
}

interface PairPorts extends PairingsPorts {
  readonly sealer: Pick<Sealer, 'seal'>;
  /** Returns the host of `/1/auth/<segment>`; null when there is none. */
  readonly hostAt: (segment: string) => PairableHost | null;
  readonly hostNames: readonly string[];
}

/**
 * `/1/auth/repohost` and `/1/auth/<host>`: POST pairs the user with an account at the repository host, GET lists the
 * user's pairings with it, DELETE forgets one. A host that is not configured is `404 request:not_found`.
 *
 * A refusal by the host, `auth:repohost:github_pairing_failed`, is a 401 without `WWW-Authenticate`: the request's own
 * login is valid, and a challenge would make a browser discard it and ask for another.
 */
export function pair(ports: PairPorts): (request: HttpRequest) => Promise<HttpAnswer> {
  return async (request) => {
    const open = ports.hostAt(request.params.host ?? '');
    if (!open) throw unknownHost(request.params.host ?? '', ports.hostNames);
    const answer = await answerers[request.method]?.(request, open, ports);
    if (!answer) throw new DeployError('request:method_not_allowed', `A pairing has no method ${request.method}.`);
    return { ...answer, headers: { 'cache-control': 'no-store' } };
  };
}

type Answerer = (request: HttpRequest, open: PairableHost, ports: PairPorts) => Promise<HttpAnswer>;

const answerers: Readonly<Record<string, Answerer | undefined>> = {
  POST: pairWith,
  GET: list,
  DELETE: unpair,
};

async function pairWith(request: HttpRequest, { name, host }: PairableHost, ports: PairPorts): Promise<HttpAnswer> {
  const { user, query, body, headers } = request;
  const app = appIn(query);
  const { login, secret } = readCredentials(body, headers['content-type']);
  // Before the host creates a token, which this service could not revoke.
  await ports.accounts.read(user);
  await checkRoom(user, { host: name, app }, ports);
  const { token, ...paired } = await host.pair(login, secret);
  const sealed = await ports.sealer.seal(token, { purpose: 'repo-token', user, host: name });
  const stored: StoredToken = { host: name, app, ...paired, sealed };
  await keep(user, stored, ports);
  return { status: 201, body: viewOf(stored) };
}

async function list(
  { user }: HttpRequest,
  { name }: PairableHost,
  { tokens, hostNames }: PairPorts,
): Promise<HttpAnswer> {
  const pairings = (await tokens.list(user)).filter(({ host }) => host === name).map(viewOf);
  return { status: 200, body: { host: name, hosts: hostNames, pairings } };
}

async function unpair({ user, query }: HttpRequest, { name }: PairableHost, ports: PairPorts): Promise<HttpAnswer> {
  const app = appIn(query);
  const forgotten = await forget(user, { host: name, app }, ports);
  if (forgotten) return { status: 200, body: { ...forgotten, forgotten: true, detail: REVOKE_THERE } };
  const which = app === ANY_APP ? 'for all applications' : `for the application ${app}`;
  throw new DeployError('request:not_found', `There is no pairing with ${name} ${which}.`);
}

const REVOKE_THERE = 'The token is no longer stored here. It is still valid at the host: revoke it there.';

/** Returns the query's `app`, or `*` without one. Throws `request:bad_parameter`. */
function appIn({ app = ANY_APP }: HttpRequest['query']): string {
  const problem = app === ANY_APP ? null : nameProblem(app);
  if (problem === null) return app;
  const detail = `The parameter app must be the name in the application's package.json; this one ${problem}.`;
  throw new DeployError('request:bad_parameter', detail);
}

function unknownHost(segment: string, names: readonly string[]): DeployError {
  const known = ['repohost', ...names].map((name) => `/1/auth/${name}`).join(', ');
  return new DeployError(
    'request:not_found',
    `No repository host ${JSON.stringify(segment)} is configured here. The configured paths are ${known}.`,
  );
}

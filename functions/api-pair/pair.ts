import { dispatch } from '../api/dispatch.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { nameProblem } from '../core/entry/package-name.ts';
import { badParameter, DeployError } from '../core/errors.ts';
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

/** Returns the endpoints of a user's pairings with a repository host, `/1/auth/<host>` and `/1/auth/repohost`. */
export const pair = dispatch('api-pair', {
  'POST /1/auth/{host}': pairWith,
  'GET /1/auth/{host}': list,
  'DELETE /1/auth/{host}': unpair,
});

/**
 * A refusal by the host, `auth:repohost:github_pairing_failed`, is a 401 without `WWW-Authenticate`: the request's own
 * login is valid, and a challenge would make a browser discard it and ask for another.
 */
async function pairWith(request: HttpRequest, ports: PairPorts): Promise<HttpAnswer> {
  const { name, host } = hostIn(request, ports);
  const { user, query } = request;
  const app = appIn(query);
  const { login, secret } = readCredentials(request);
  // Before the host creates a token, which this service could not revoke.
  await ports.accounts.read(user);
  await checkRoom(user, { host: name, app }, ports);
  const { token, ...paired } = await host.pair(login, secret);
  const sealed = await ports.sealer.seal(token, { purpose: 'repo-token', user, host: name });
  const stored: StoredToken = { host: name, app, ...paired, sealed };
  await keep(user, stored, ports);
  return { status: 201, body: viewOf(stored) };
}

async function list(request: HttpRequest, ports: PairPorts): Promise<HttpAnswer> {
  const { name } = hostIn(request, ports);
  const pairings = (await ports.tokens.list(request.user)).filter(({ host }) => host === name).map(viewOf);
  return { status: 200, body: { host: name, hosts: ports.hostNames, pairings } };
}

async function unpair(request: HttpRequest, ports: PairPorts): Promise<HttpAnswer> {
  const { name } = hostIn(request, ports);
  const app = appIn(request.query);
  const forgotten = await forget(request.user, { host: name, app }, ports);
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
  throw badParameter(detail);
}

/** Returns the host in the path. Throws `request:not_found` for one that is not configured. */
function hostIn({ params }: HttpRequest, { hostAt, hostNames }: PairPorts): PairableHost {
  const { host = '' } = params;
  const open = hostAt(host);
  if (open) return open;
  const paths = ['repohost', ...hostNames].map((name) => `/1/auth/${name}`).join(', ');
  throw new DeployError(
    'request:not_found',
    `No repository host ${JSON.stringify(host)} is configured here. The configured paths are ${paths}.`,
  );
}

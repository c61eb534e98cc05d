import type * as v from 'valibot';
import { DeployError } from '../../core/errors.ts';
import { pauseOf } from './failures.ts';
import type { HttpResponse } from './http/http-client.ts';
import type { Api } from './rest.ts';

/** Returns a non-retryable pairing error; `detail` says what the user can do. */
export function notPaired(detail: string): DeployError {
  return new DeployError('auth:repohost:github_pairing_failed', detail, { retry: false });
}

/** Returns whether the host rejected the credentials, as opposed to limiting the request rate. */
export function isRefused(response: HttpResponse): boolean {
  return (response.status === 401 || response.status === 403) && pauseOf(response) === null;
}

/** Returns the owner of the token, from `GET <api>/user`. `refused` is the error sentence for a rejected token. */
export async function ownerOf<T>(
  api: Api,
  schema: v.GenericSchema<unknown, T>,
  refused: string,
): Promise<{ readonly owner: T; readonly response: HttpResponse }> {
  const response = await api.send({ path: 'user' });
  if (isRefused(response)) {
    response.discard();
    throw notPaired(refused);
  }
  return { owner: await api.parse(schema, response), response };
}

/** Throws when a token does not belong to the given user. Names are compared case-insensitively. */
export function checkOwner(owners: readonly string[], login: string, host: string): void {
  if (owners.some((owner) => owner.toLowerCase() === login.toLowerCase())) return;
  throw notPaired(`The token belongs to another user of ${host} than the one given.`);
}

/** Throws when a token has scopes, but none that suffices. Hosts do not return the scopes of every kind of token. */
export function checkScopes(scopes: readonly string[], enough: (scope: string) => boolean, needed: string): void {
  if (scopes.length === 0 || scopes.some(enough)) return;
  throw notPaired(`The token is valid, but its scopes (${scopes.join(', ')}) are not sufficient: it needs ${needed}.`);
}

export function scopesIn(header: string | string[] | undefined): readonly string[] {
  const scopes = String(header ?? '').split(',');
  return scopes.map((scope) => scope.trim()).filter((scope) => scope !== '');
}

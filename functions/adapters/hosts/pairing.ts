import * as v from 'valibot';
import { DeployError } from '../../core/errors.ts';
import { readJson } from './body.ts';
import { notUnderstood, pauseOf, type RequestContext, refusal } from './failures.ts';
import type { HttpResponse } from './http-client.ts';
import type { Rest } from './rest.ts';

/** The refusal of a pairing, for good, with a sentence that says what to do. */
export function notPaired(detail: string): DeployError {
  return new DeployError('auth:repohost:github_pairing_failed', detail, { retry: false });
}

/** Whether the host says that the login is no good, and not merely that it is busy. */
export function isRefused(response: HttpResponse): boolean {
  return (response.status === 401 || response.status === 403) && pauseOf(response) === null;
}

/** The JSON of an answer in its documented shape. Throws, and another try may help, when it has another one. */
export async function parsed<T>(
  schema: v.GenericSchema<unknown, T>,
  response: HttpResponse,
  requestContext: RequestContext,
): Promise<T> {
  const result = v.safeParse(schema, await readJson(response));
  if (result.success) return result.output;
  throw notUnderstood(requestContext);
}

/** Who a token belongs to, as the host answers `GET <api>/user` for it. `refused` is the sentence when it is no good. */
export async function ownerOf<T>(
  schema: v.GenericSchema<unknown, T>,
  { rest, token, refused }: { readonly rest: Rest; readonly token: string; readonly refused: string },
  requestContext: RequestContext,
): Promise<{ readonly owner: T; readonly response: HttpResponse }> {
  const response = await rest({ path: 'user', token }, requestContext);
  if (isRefused(response)) {
    response.discard();
    throw notPaired(refused);
  }
  if (response.status !== 200) throw await refusal(requestContext, response);
  return { owner: await parsed(schema, response, requestContext), response };
}

/** Refuses a token that belongs to somebody else than the user it came with, whatever the case of the name. */
export function checkOwner(owners: readonly string[], login: string, host: string): void {
  if (owners.some((owner) => owner.toLowerCase() === login.toLowerCase())) return;
  throw notPaired(`The token belongs to another user of ${host} than the one given.`);
}

/** Refuses a token that has scopes, but none of those that would do. Hosts do not tell the scopes of every token. */
export function checkScopes(scopes: readonly string[], enough: (scope: string) => boolean, needed: string): void {
  if (scopes.length === 0 || scopes.some(enough)) return;
  throw notPaired(`The token is good, but its scopes (${scopes.join(', ')}) are not enough: it needs ${needed}.`);
}

/** The scopes in a header that lists them with commas. */
export function scopesIn(header: string | string[] | undefined): readonly string[] {
  const scopes = String(header ?? '').split(',');
  return scopes.map((scope) => scope.trim()).filter((scope) => scope !== '');
}

import { createHash, timingSafeEqual } from 'node:crypto';
import type { RunningHost } from '../running.ts';
import type { Repositories } from '../store/repositories.ts';
import type { TokenGrant, Tokens } from '../store/tokens.ts';
import { notFound, RestError } from './rest-error.ts';

/** Who calls: the owner of a token, the user of this machine's platform (who may do everything), or anybody. */
export type Caller =
  | { readonly kind: 'token'; readonly login: string; readonly grant: TokenGrant }
  | { readonly kind: 'operator'; readonly login: string }
  | { readonly kind: 'anybody' };

/** A repository that the caller may see. */
export type VisibleRepository = NonNullable<ReturnType<Repositories['find']>>;

/**
 * Who the `Authorization` header proves the caller to be: `Bearer` or `token` with an access token, or `Basic` with one
 * as the password, or with the webhook's own login. A wrong login is 401 even where none is needed, as on GitHub.
 */
export function callerOf(header: string | undefined, tokens: Tokens, webhook: RunningHost['webhook']): Caller {
  if (header === undefined) return { kind: 'anybody' };
  const [scheme = '', value = ''] = header.split(' ');
  const basic = scheme.toLowerCase() === 'basic' ? Buffer.from(value, 'base64').toString('utf8') : null;
  if (basic !== null && same(basic, `${webhook.user}:${webhook.secret}`)) {
    return { kind: 'operator', login: webhook.user };
  }
  const grant = tokens.find(basic === null ? value : basic.slice(basic.indexOf(':') + 1));
  if (grant === null) throw new RestError(401, 'Bad credentials', challenge);
  return { kind: 'token', login: grant.login, grant };
}

/** Makes git ask for a login. */
export const challenge = { 'www-authenticate': 'Basic realm="repositories of this machine", charset="UTF-8"' };

/** Whether the caller may write to the repository, and see it when it is private. */
export function isTrusted(caller: Caller, owner: string): boolean {
  return caller.kind === 'operator' || (caller.kind === 'token' && caller.login === owner);
}

/** The repository, or 404 when there is none or the caller may not see it. */
export function visible(repositories: Repositories, caller: Caller, owner: string, name: string): VisibleRepository {
  const repository = repositories.find({ owner, name });
  if (repository === null || (repository.private && !isTrusted(caller, owner))) throw notFound();
  return repository;
}

/** Throws 401 or 403 unless the caller may write to the repository. */
export function checkTrusted(caller: Caller, owner: string): void {
  if (isTrusted(caller, owner)) return;
  if (caller.kind === 'anybody') throw new RestError(401, 'Requires authentication', challenge);
  throw new RestError(403, 'Resource not accessible by personal access token');
}

function same(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

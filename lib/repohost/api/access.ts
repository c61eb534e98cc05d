import { createHash, timingSafeEqual } from 'node:crypto';
import type { RunningHost } from '../running.ts';
import type { RepositoryName } from '../store/names.ts';
import type { Repositories } from '../store/repositories.ts';
import type { TokenGrant, Tokens } from '../store/tokens.ts';
import { notFound, RestError } from './rest-error.ts';

/** The caller: the owner of a token, the operator of this machine (who may do everything), or an anonymous client. */
export type Caller =
  | { readonly kind: 'token'; readonly login: string; readonly grant: TokenGrant }
  | { readonly kind: 'operator'; readonly login: string }
  | { readonly kind: 'anonymous' };

/** A repository that the caller may see. */
export type VisibleRepository = NonNullable<ReturnType<Repositories['find']>>;

/**
 * Returns the caller that the `Authorization` header authenticates: `Bearer` or `token` with an access token, `Basic` with
 * a token as the password, or `Basic` with the webhook's login. A wrong login is 401 even where none is needed, as on GitHub.
 */
export function callerOf(header: string | undefined, tokens: Tokens, webhook: RunningHost['webhook']): Caller {
  if (header === undefined) return { kind: 'anonymous' };
  const [scheme = '', value = ''] = header.split(' ');
  const basic = scheme.toLowerCase() === 'basic' ? Buffer.from(value, 'base64').toString('utf8') : null;
  if (basic !== null && same(basic, `${webhook.user}:${webhook.secret}`)) {
    return { kind: 'operator', login: webhook.user };
  }
  const grant = tokens.find(basic === null ? value : basic.slice(basic.indexOf(':') + 1));
  if (grant === null) throw new RestError(401, 'Bad credentials', CHALLENGE);
  return { kind: 'token', login: grant.login, grant };
}

/** The header that makes git prompt for a login. */
export const CHALLENGE = { 'www-authenticate': 'Basic realm="repositories of this machine", charset="UTF-8"' };

/** Whether the caller may write to the repository, and see it when it is private. */
export function isTrusted(caller: Caller, owner: string): boolean {
  return caller.kind === 'operator' || (caller.kind === 'token' && caller.login === owner);
}

/** Returns the repository, or throws 404 when there is none or the caller may not see it. */
export function visible(
  repositories: Repositories,
  caller: Caller,
  { owner, name }: RepositoryName,
): VisibleRepository {
  const repository = repositories.find({ owner, name });
  if (repository === null || (repository.private && !isTrusted(caller, owner))) throw notFound();
  return repository;
}

/** Throws 401 or 403 unless the caller may write to the repository. */
export function checkTrusted(caller: Caller, owner: string): void {
  if (isTrusted(caller, owner)) return;
  if (caller.kind === 'anonymous') throw new RestError(401, 'Requires authentication', CHALLENGE);
  throw new RestError(403, 'Resource not accessible by personal access token');
}

function same(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

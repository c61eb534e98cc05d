import { readBasic } from '../../../functions/core/basic-auth.ts';
import { sameSecret } from '../../../functions/core/secrets.ts';
import type { RepositoryName } from '../store/folders.ts';
import type { Repositories } from '../store/repositories.ts';
import type { TokenGrant, Tokens } from '../store/tokens.ts';
import { notFound, RestError } from './rest-answer.ts';

/**
 * The caller: the owner of an access token, a user who has logged in with a name and a secret, or an anonymous client.
 */
export type Caller =
  | { readonly kind: 'token'; readonly login: string; readonly grant: TokenGrant }
  | { readonly kind: 'user'; readonly login: string }
  | { readonly kind: 'anonymous' };

/**
 * Resolves with whether the secret is that of the user. Rejects when that cannot be told now: with `LoginThrottled`
 * when there are too many wrong ones.
 */
export type VerifyLogin = (user: string, secret: string) => Promise<boolean>;

/** Too many wrong passwords of the user; the next may be tried after some seconds. */
export class LoginThrottled extends Error {
  override readonly name = 'LoginThrottled';

  constructor(readonly retryAfter: string) {
    super('There were too many wrong passwords.');
  }
}

export interface Logins {
  readonly tokens: Tokens;
  /** Returns the secret of a user whom the webhook is called for; null for others. */
  readonly webhookSecret: (user: string) => string | null;
  readonly verify: VerifyLogin;
}

/** A repository that the caller may see. */
export type VisibleRepository = NonNullable<ReturnType<Repositories['find']>>;

/**
 * Returns the caller that the `Authorization` header authenticates: `Bearer` or `token` with an access token, `Basic`
 * with a token as the password, or `Basic` with a login that the webhook uses or `verify` confirms. A wrong login is
 * 401 even where none is needed, as on GitHub; 429 after too many of them, and 503 when it cannot be verified now.
 */
export async function callerOf(header: string | undefined, logins: Logins): Promise<Caller> {
  if (header === undefined) return { kind: 'anonymous' };
  const basic = readBasic(header);
  const grant = logins.tokens.find(basic === null ? (header.split(' ')[1] ?? '') : basic.secret);
  if (grant !== null) return { kind: 'token', login: grant.login, grant };
  if (basic !== null && (await isLogin(basic, logins))) return { kind: 'user', login: basic.user };
  throw new RestError(401, 'Bad credentials', CHALLENGE);
}

async function isLogin(
  { user, secret }: { readonly user: string; readonly secret: string },
  { webhookSecret, verify }: Logins,
): Promise<boolean> {
  const known = webhookSecret(user);
  if (known !== null && sameSecret(secret, known)) return true;
  try {
    return await verify(user, secret);
  } catch (error) {
    if (error instanceof LoginThrottled) throw new RestError(429, TOO_MANY, { 'retry-after': error.retryAfter });
    throw new RestError(503, 'The login cannot be verified now; try again.');
  }
}

const TOO_MANY = 'Too many wrong passwords for this user: try again later, or log in with an API token.';

/** The header that makes git prompt for a login. */
export const CHALLENGE = { 'www-authenticate': 'Basic realm="repositories of this machine", charset="UTF-8"' };

/** Whether the caller may write to the repository, and see it when it is private. */
function isTrusted(caller: Caller, owner: string): boolean {
  return caller.kind !== 'anonymous' && caller.login === owner;
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
  throw new RestError(403, `This belongs to ${owner}, and you are logged in as ${caller.login}.`);
}

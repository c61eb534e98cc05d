import { readBasic } from '../../../functions/core/basic-auth.ts';
import { DeployError } from '../../../functions/core/errors.ts';
import type { UsedToken, VerifyLogin } from '../../../functions/core/ports/accounts.ts';
import type { RepositoryName } from '../store/folders.ts';
import type { Repositories } from '../store/repositories.ts';

/** A request that is not served: its status, and a sentence. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** Returns the error for what does not exist and for what the caller may not see: the two must look the same. */
export function notFound(): Refused {
  return new Refused(404, 'Not Found');
}

/** The user who has logged in; null for an anonymous client. */
export type Caller = string | null;

interface CallerLogin {
  readonly caller: Caller;
  /** Absent: the password, or none. */
  readonly token?: UsedToken | undefined;
}

/** A repository that the caller may see. */
type VisibleRepository = NonNullable<ReturnType<Repositories['find']>>;

/**
 * Returns the caller of the `Authorization` header: `Basic`, with a password or an API token. A wrong login is 401 even
 * where none is needed, as on GitHub; 429 after too many of them, and 503 when it cannot be verified now.
 */
export async function callerOf(header: string | undefined, verify: VerifyLogin): Promise<CallerLogin> {
  if (header === undefined) return { caller: null };
  const login = readBasic(header);
  const valid = login !== null && (await verify(login.user, login.secret).catch(notVerified));
  if (!valid) throw new Refused(401, 'Bad credentials', CHALLENGE);
  return { caller: login.user, token: valid === true ? undefined : valid };
}

function notVerified(error: unknown): never {
  if (error instanceof DeployError && error.code === 'request:throttled') {
    throw new Refused(429, TOO_MANY, { 'retry-after': String(error.retryAfter ?? 1) });
  }
  throw new Refused(503, 'The login cannot be verified now; try again.');
}

const TOO_MANY = 'Too many wrong passwords for this user: try again later, or log in with an API token.';

/** The header that makes git prompt for a login. */
const CHALLENGE = { 'www-authenticate': 'Basic realm="repositories of this machine", charset="UTF-8"' };

/** Throws 403 when the token of a push, or of what makes a repository, may only read. */
export function requireRights({ token }: Pick<CallerLogin, 'token'>): void {
  if (token?.rights === 'read') throw new Refused(403, `The API token ${token.name} may only read.`);
}

/** Git sends its login only after this. */
export function loginNeeded(): Refused {
  return new Refused(401, 'Requires authentication', CHALLENGE);
}

/** Returns the repository, or throws 404 when there is none or the caller may not see it. */
export function visible(
  repositories: Repositories,
  caller: Caller,
  { owner, name }: RepositoryName,
): VisibleRepository {
  const repository = repositories.find({ owner, name });
  if (repository === null || (repository.private && caller !== owner)) throw notFound();
  return repository;
}

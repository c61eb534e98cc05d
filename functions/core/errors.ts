interface ErrorRow {
  /** HTTP status of the answer, and of the entry's `error.status`. */
  readonly status: number;
  /** Whether a retry can help; a `DeployError` may override it. */
  readonly retry: boolean;
  /** The reason in one plain sentence: the `title` of the problem document. */
  readonly title: string;
}

/**
 * Every code that a client can meet. `GET /errors` serves this table with the advice of
 * `api-documents/errors/advice.ts`, and a test holds the table in `api-documents/README.md` to both.
 */
export const errors = {
  'deploy:db:failed_to_store_payload': row(503, true, 'The payload could not be stored; send it again.'),
  'deploy:provider:not_supported': row(400, false, 'The payload is not of a supported kind.'),
  'deploy:repohost:no_pkg_json': row(502, false, 'package.json could not be fetched from the repository host.'),
  'deploy:auth:bad_creds': row(401, false, 'The request carries no valid Basic credentials.'),
  'deploy:repohost:download_tarball': row(502, true, 'The tarball could not be fetched from the repository host.'),
  'deploy:platform:upload_tarball': row(502, true, 'The tarball could not be uploaded to the platform.'),
  'deploy:platform:start_app': row(500, false, 'The application could not be started.'),
  'deploy:no_payload': row(400, false, 'The request carries no payload.'),
  'deploy:tar:corrupt': row(500, false, 'The tarball is not a readable gzip or tar archive.'),
  'deploy:tar:truncated': row(500, true, 'The tarball ends too early.'),
  'deploy:tar:unsafe_path': row(500, false, 'The tarball holds a path that leads out of its folder.'),
  'deploy:tar:unsafe_link': row(500, false, 'The tarball holds a link that leads out of its folder.'),
  'deploy:tar:unsafe_type': row(500, false, 'The tarball holds something else than files, folders and links.'),
  'deploy:tar:too_large': row(500, false, 'The tarball is larger than the service accepts.'),
  'deploy:tar:too_many_entries': row(500, false, 'The tarball holds more entries than the service accepts.'),
  'deploy:tar:ratio': row(500, false, 'The tarball unpacks to far more than a source archive does.'),
  'deploy:tar:no_root': row(500, false, 'The tarball does not have exactly one root folder.'),
  'deploy:tar:extract_failed': row(500, false, 'The platform could not build the application.'),
  'mw:auth:not_you': row(401, false, 'The requested status does not belong to the authenticated user.'),
  'mw:auth:auth_server_down': row(500, true, 'The credentials could not be verified; try again.'),
  'mw:auth:unauthorized': row(401, false, 'User name and password do not match.'),
  'mw:auth:no_username': row(401, false, 'The user document is in a bad state; contact support.'),
  'status:db:not_found': row(404, false, 'The log entry was not found.'),
  'status:db:get_by_id': row(500, true, 'The database could not complete the query.'),
  'status:db:query_fail': row(500, true, 'The database could not complete the query.'),
  'status:changes:timeout': row(408, true, 'The stream has reached its time limit; connect again with since.'),
  'status:changes:fatal': row(500, true, 'The underlying connection failed; connect again with since.'),
  'auth:repohost:get_user_failed': row(500, true, 'The user could not be retrieved from the platform.'),
  'auth:repohost:update_user_failed': row(500, true, 'The user could not be updated.'),
  'auth:repohost:no_credentials': row(400, false, 'The field credentials is missing.'),
  'auth:repohost:bad_credentials': row(400, false, 'The field credentials is not of the form username:password.'),
  'auth:repohost:github_pairing_failed': row(401, false, 'The repository host did not accept the credentials.'),
  'request:not_found': row(404, false, 'There is nothing at this address.'),
  'request:method_not_allowed': row(405, false, 'This address does not know the method.'),
  'request:bad_parameter': row(400, false, 'A parameter or the body of the request cannot be read.'),
  'request:too_large': row(413, false, 'The body, or a part of it, is larger than the service accepts.'),
  'request:forbidden': row(403, false, 'The API token may not do this.'),
  'request:conflict': row(409, false, 'The request does not fit the current state.'),
  'request:not_supported': row(501, false, 'The hosting platform of this service cannot do it.'),
  'request:throttled': row(429, true, 'Too many requests; try again later.'),
  'request:unavailable': row(503, true, 'A part of the service does not answer; try again.'),
  'request:failed': row(500, true, 'The service failed; try again.'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errors;

export function errorRow(code: ErrorCode): ErrorRow {
  return errors[code];
}

/**
 * How a repository host has failed: `away` can be over soon (no connection, 5xx, a rate limit); what is `unknown` to it is
 * gone, hidden, or so new that the host does not know it yet.
 */
type HostFailure = 'away' | 'unknown';

interface ErrorOptions {
  /** Overrides the row's `retry`: a 404 of the host is final, its 503 is not. */
  readonly retry?: boolean;
  /** Seconds to wait before the next attempt, as the remote service asked (`Retry-After`, rate limits). */
  readonly retryAfter?: number;
  readonly host?: HostFailure | undefined;
  /** The last lines that the platform printed; they go to the entry's `log_tail`, masked. */
  readonly logTail?: readonly string[];
  /** The original error: for the service's log only, never for a client. */
  readonly cause?: unknown;
}

/** Of V8, unknown to the types of the page: https://v8.dev/docs/stack-trace-api */
const STACK_LIMIT = 'stackTraceLimit';

/**
 * A failure with a row in the error table. `detail` says what failed and what to do next. Clients see it, so it must
 * not contain a secret, a stack trace or another user's data.
 */
export class DeployError extends Error {
  override readonly name = 'DeployError';
  readonly retry: boolean;
  readonly retryAfter: number | undefined;
  readonly host: HostFailure | undefined;
  readonly logTail: readonly string[];

  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    options: ErrorOptions = {},
  ) {
    // It is an answer, and is made for each push that a host refuses: the stack of its cause is what helps in the log.
    const limit: unknown = Reflect.get(Error, STACK_LIMIT);
    Reflect.set(Error, STACK_LIMIT, 0);
    super(`${code}: ${detail}`, { cause: options.cause });
    Reflect.set(Error, STACK_LIMIT, limit);
    this.retry = options.retry ?? errors[code].retry;
    this.retryAfter = options.retryAfter;
    this.host = options.host;
    this.logTail = options.logTail ?? [];
  }

  get status(): number {
    return errors[this.code].status;
  }
}

export function badParameter(detail: string): DeployError {
  return new DeployError('request:bad_parameter', detail);
}

/** Returns a handler for `catch` that throws the code, with the failure as its cause. */
export function failsAs(code: ErrorCode, detail: string): (cause: unknown) => never {
  return (cause) => {
    throw new DeployError(code, detail, { cause });
  };
}

/** Returns the result of work; `otherwise` when it is refused for good. What can succeed later is thrown. */
export async function unlessRefused<T>(work: Promise<T>, otherwise: T): Promise<T> {
  return work.catch((error: unknown) => {
    if (error instanceof DeployError && !error.retry) return otherwise;
    throw error;
  });
}

/**
 * Returns the problem document of a code. `base` is the address of the service that the request used, without a slash
 * at the end; `uuid` is the request's `x-api-uuid`.
 */
export function problem(code: ErrorCode, detail: string, request: { base: string; uuid: string }) {
  const { status, title } = errors[code];
  return { type: problemType(request.base, code), title, status, code, detail, uuid: request.uuid };
}

/** Returns the address that explains a code: its anchor on the page that `GET /errors` serves. */
export function problemType(base: string, code: string): string {
  return `${base}/errors#${code}`;
}

function row(status: number, retry: boolean, title: string): ErrorRow {
  return { status, retry, title };
}

import { routes } from '../api/routes.ts';
import { decodePercent, readBasic } from '../core/basic-auth.ts';
import { DeployError, type ErrorCode } from '../core/errors.ts';
import { type LoginAttempt, loginThrottle, type ThrottlePorts } from '../core/limits/login-throttle.ts';
import { authenticate, type LoggedIn, type LoginDecision, type LoginRequest } from '../core/login.ts';
import type { Accounts } from '../core/ports/accounts.ts';
import { agentOf, type RefusedCalls } from '../core/ports/refused-calls.ts';
import type { Clock } from '../core/ports/system.ts';
import { remember } from './remember.ts';

const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 1000;
const RETRY_AFTER_SECONDS = 5;

/**
 * Returns the login check of every request. Deploy routes refuse with `deploy:auth:bad_creds`, the others with
 * `mw:auth:unauthorized`, `mw:auth:no_username` or, when the path belongs to another user than the credentials,
 * `mw:auth:not_you`. Throws `mw:auth:auth_server_down` on every route, and returns the seconds to wait when the
 * platform checks too many logins, or too many passwords were wrong. Valid credentials are remembered for 60 seconds. A
 * request that revokes an API token ends what this process remembers of the user; others may accept the token for the
 * rest of the 60 seconds.
 */
export function authorizer(
  ports: AuthorizerPorts,
  revocations = new Revocations(ports.clock),
): (request: LoginRequest) => Promise<LoginDecision> {
  const throttle = loginThrottle(ports);
  const check = (attempt: LoginAttempt) => throttle(attempt, () => authenticate(ports.accounts, attempt));
  const login = remember(check, {
    clock: ports.clock,
    forMs: REMEMBER_MS,
    maxLogins: MAX_REMEMBERED,
    validFrom: (user) => revocations.endOfLast(user),
  });
  return async (request) => {
    const credentials = readBasic(request.authorization);
    if (!credentials) return refuse(request, 'mw:auth:unauthorized', HOW_TO_LOG_IN);
    try {
      const made = await login({ ...credentials, address: request.address });
      if (request.resource === REVOKE_TOKEN) revocations.begin(made.user);
      if (!mayEnter(request, made.user)) return refuse(request, 'mw:auth:not_you', WRONG_USER_IN_PATH);
      return mayDo(request, made) ? { allowed: true, ...made } : { forbidden: beyondRights(made) };
    } catch (error) {
      if (!(error instanceof DeployError) || error.code === 'mw:auth:auth_server_down') throw error;
      if (error.code === 'request:throttled') return { throttledSeconds: error.retryAfter ?? RETRY_AFTER_SECONDS };
      const decision = refuse(request, error.code, error.detail);
      if (isDeploy(request)) await note(credentials.user, request, decision, ports);
      return decision;
    }
  };
}

interface AuthorizerPorts extends ThrottlePorts {
  readonly accounts: Pick<Accounts, 'authenticate'>;
  readonly refused: Pick<RefusedCalls, 'note'>;
}

type Refusal = Extract<LoginDecision, { readonly allowed: false }>;

const REVOKE_TOKEN = '/1/auth/tokens/{name}';

// Compared decoded only, because the endpoint reads the path decoded: a user whose name is literally `a%20b` must not
// get access to the address of `a b`.
function mayEnter({ pathUser }: LoginRequest, user: string): boolean {
  return pathUser === undefined || decodePercent(pathUser) === user;
}

/** What there is no route for is refused later. */
function mayDo({ resource, method }: LoginRequest, { token }: LoggedIn): boolean {
  if (token?.rights === undefined) return true;
  const needs = routes.find((route) => route.path === resource && route.method === method)?.needs ?? 'read';
  return needs === 'read' || needs === token.rights;
}

function beyondRights({ token }: LoggedIn): string {
  const may = token?.rights === 'read' ? 'may only read' : 'may only deploy, release, cancel, roll back and read';
  return `The API token ${token?.name} ${may}. Use another token, or the password.`;
}

function refuse(request: LoginRequest, code: ErrorCode, detail: string): Refusal {
  return { allowed: false, code: isDeploy(request) ? 'deploy:auth:bad_creds' : code, detail };
}

function isDeploy({ resource }: LoginRequest): boolean {
  return routes.some((route) => route.path === resource && route.login === 'deploy');
}

/** Remembers a call of the webhook whose login is wrong, for the user that it names. */
async function note(
  user: string,
  { agent }: LoginRequest,
  { code, detail }: Refusal,
  { refused, clock, trace }: AuthorizerPorts,
): Promise<void> {
  const call = { at: clock.now(), code, detail, agent: agentOf(agent) };
  await refused.note(decodePercent(user) ?? user, call).catch((error: unknown) => {
    trace('refused call not remembered', { error });
  });
}

const HOW_TO_LOG_IN =
  'Send HTTP Basic credentials: the platform user name, with the password or an API token made for the platform.';
const WRONG_USER_IN_PATH =
  'The credentials are valid, but the address belongs to another user. Put your own user name in it.';

/** How long the request that revokes a token may take: API Gateway times out after 29 seconds. */
const REQUEST_MS = 30_000;
const MAX_USERS = 1000;

/** When users last revoked an API token, as far as this process has seen. */
export class Revocations {
  #endOfAll = 0;
  readonly #ends = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** The user is about to revoke a token. */
  begin(user: string): void {
    if (this.#ends.size >= MAX_USERS) this.#ends.clear();
    this.#ends.set(user, this.clock.now() + REQUEST_MS);
  }

  /** Users are about to be removed, or given other passwords. */
  beginAll(): void {
    this.#endOfAll = this.clock.now() + REQUEST_MS;
  }

  /** Returns when the user's last revocation is over, in milliseconds since 1970; 0 when there was none. */
  endOfLast(user: string): number {
    return Math.max(this.#endOfAll, this.#ends.get(user) ?? 0);
  }
}

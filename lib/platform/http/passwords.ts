import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { memoryFailures } from '../../../functions/adapters/stores/memory/failure-memory.ts';
import { DeployError } from '../../../functions/core/errors.ts';
import { loginThrottle } from '../../../functions/core/limits/login-throttle.ts';
import { isPassword, type PasswordHash } from '../../../functions/core/secrets.ts';
import { TooManyRequests } from '../../http/http-error.ts';
import { FairQueue } from './fair-queue.ts';

const MAX_REMEMBERED_LOGINS = 1_000;

export interface LoginClient {
  readonly address: string;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
}

/** A password to verify. Without a client it is the platform itself that asks. */
interface PasswordAttempt {
  readonly user: string;
  readonly password: string;
  readonly stored: PasswordHash | undefined;
  readonly client?: LoginClient;
}

/** Resolves with whether the password is the stored one. Throws TooManyRequests when it cannot be checked now. */
export type VerifyPassword = (attempt: PasswordAttempt) => Promise<boolean>;

/**
 * Returns a function that verifies passwords and remembers the right ones for `rememberMs`, so that only the first of
 * many logins pays for scrypt, and waits for it when others guess. What is remembered is an HMAC under a key of this
 * process; it covers the stored hash, so a changed password misses. An unknown user (`undefined`) takes as long as a
 * wrong password, so that the time does not reveal which names exist.
 */
export function passwordVerifier(rememberMs: number): VerifyPassword {
  const hmacKey = randomBytes(32);
  const idOf = (...parts: readonly string[]) =>
    createHmac('sha256', hmacKey).update(JSON.stringify(parts)).digest('base64url');
  const verified = new LRUCache<string, true>({ max: MAX_REMEMBERED_LOGINS, ttl: rememberMs });
  const pending = new Map<string, SharedCheck>();
  const queue = new FairQueue();
  const clock = { now: () => Date.now() };
  const throttle = loginThrottle({ failures: memoryFailures(clock), clock, trace: () => undefined });

  const check = async ({ user, password, stored, client }: PasswordAttempt, stop: AbortSignal) => {
    const derive = async () => {
      if (await queue.run(idOf(user), stop, () => isPassword(password, stored))) return user;
      throw new DeployError('mw:auth:unauthorized', 'The password does not match.');
    };
    try {
      await throttle({ user, secret: password, address: client?.address ?? '' }, derive);
      return true;
    } catch (error) {
      if (!(error instanceof DeployError)) throw error;
      if (error.code !== 'request:throttled') return false;
      throw new TooManyRequests('Too many wrong passwords for this user.', error.retryAfter ?? 1);
    }
  };

  return async (attempt) => {
    const { user, password, stored, client } = attempt;
    const id = idOf(user, password, stored?.hash ?? '');
    if (verified.has(id)) return true;
    // Concurrent logins with the same password share one derivation.
    const shared = pending.get(id) ?? new SharedCheck((stop) => check(attempt, stop));
    pending.set(id, shared);
    const isRight = await shared.join(client?.signal).finally(() => pending.delete(id));
    if (isRight) verified.set(id, true);
    return isRight;
  };
}

/** A check that several clients wait for. It is given up when all of them have left. */
class SharedCheck {
  readonly #stop = new AbortController();
  readonly #answer: Promise<boolean>;
  #clients = 0;

  constructor(check: (stop: AbortSignal) => Promise<boolean>) {
    this.#answer = check(this.#stop.signal);
  }

  join(left: AbortSignal | undefined): Promise<boolean> {
    this.#clients += 1;
    left?.addEventListener('abort', () => this.#leave(), { once: true });
    if (left?.aborted) this.#leave();
    return this.#answer;
  }

  #leave(): void {
    this.#clients -= 1;
    if (this.#clients === 0) this.#stop.abort();
  }
}

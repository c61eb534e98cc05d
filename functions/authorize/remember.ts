import { createHmac, randomBytes } from 'node:crypto';
import type { LoginAttempt } from '../core/limits/login-throttle.ts';
import type { LoggedIn } from '../core/login.ts';
import type { Clock } from '../core/ports/system.ts';

/** Returns the login that the credentials give, and throws when they give none. */
type CheckLogin = (attempt: LoginAttempt) => Promise<LoggedIn>;

interface RememberOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** A login is cached for this time, from the start of its check. */
  readonly forMs: number;
  /** Maximum number of logins; the least recently used is removed first. */
  readonly maxLogins: number;
  /** Returns a time in milliseconds since 1970: logins of the user that were checked before it are not remembered. */
  readonly validFrom?: (user: string) => number;
}

interface RememberedLogin {
  readonly login: LoggedIn;
  /** Milliseconds since 1970. */
  readonly checkedAt: number;
}

/**
 * Returns a login check that remembers successes for a while and shares one call among equal logins in progress.
 * Failures are never remembered. It stores an HMAC of the credentials under a random key of this process, so a table of
 * hashes cannot reveal a secret.
 */
export function remember(login: CheckLogin, options: RememberOptions): CheckLogin {
  const { clock, forMs, maxLogins, validFrom = () => 0 } = options;
  const key = randomBytes(32);
  const remembered = new Map<string, RememberedLogin>();
  const pending = new Map<string, Promise<LoggedIn>>();

  function recall(hash: string): LoggedIn | null {
    const hit = remembered.get(hash);
    if (!hit) return null;
    remembered.delete(hash);
    if (hit.checkedAt + forMs <= clock.now() || hit.checkedAt < validFrom(hit.login.user)) return null;
    remembered.set(hash, hit); // A Map keeps insertion order: the most recently used is last.
    return hit.login;
  }

  async function check(hash: string, attempt: LoginAttempt): Promise<LoggedIn> {
    // Counted from before the check: the password may change while the response is on its way.
    const checkedAt = clock.now();
    const made = await login(attempt);
    remembered.set(hash, { login: made, checkedAt });
    const oldest = remembered.keys().next();
    if (remembered.size > maxLogins && !oldest.done) remembered.delete(oldest.value);
    return made;
  }

  return async (attempt) => {
    const hash = createHmac('sha256', key).update(`${attempt.user}:${attempt.secret}`).digest('base64');
    const known = recall(hash);
    if (known !== null) return known;
    const shared = pending.get(hash) ?? check(hash, attempt).finally(() => pending.delete(hash));
    pending.set(hash, shared);
    return shared;
  };
}

import { createHmac, randomBytes } from 'node:crypto';
import type { Credentials } from '../core/basic-auth.ts';
import type { Clock } from '../core/ports/clock.ts';

/** Gives the user whom the credentials belong to, and throws when there is none. */
export type CheckLogin = (credentials: Credentials) => Promise<string>;

export interface RememberOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** How long a good login is remembered, in milliseconds. */
  readonly forMs: number;
  /** How many good logins are remembered; the one not used for longest goes first. */
  readonly atMost: number;
}

interface Known {
  readonly user: string;
  readonly until: number;
}

/**
 * A login that remembers good answers for a while and shares one call among the same logins at the same time. Failures
 * are never remembered. What is kept is a hash of the credentials under a key that this process made and nobody else
 * has, so that neither a dump of its memory nor a table of hashes gives a secret away.
 */
export function remember(login: CheckLogin, { clock, forMs, atMost }: RememberOptions): CheckLogin {
  const key = randomBytes(32);
  const known = new Map<string, Known>();
  const underWay = new Map<string, Promise<string>>();

  function recall(hash: string): string | null {
    const hit = known.get(hash);
    if (!hit) return null;
    known.delete(hash);
    if (hit.until <= clock.now()) return null;
    known.set(hash, hit); // A Map keeps the order of insertion: the last used is the last to go.
    return hit.user;
  }

  async function check(hash: string, credentials: Credentials): Promise<string> {
    // Counted from before the check: a password changed while the answer is on its way is not good for longer.
    const until = clock.now() + forMs;
    const user = await login(credentials);
    known.set(hash, { user, until });
    const oldest = known.keys().next();
    if (known.size > atMost && !oldest.done) known.delete(oldest.value);
    return user;
  }

  return async (credentials) => {
    const hash = createHmac('sha256', key).update(`${credentials.user}:${credentials.secret}`).digest('base64');
    const user = recall(hash);
    if (user !== null) return user;
    const shared = underWay.get(hash) ?? check(hash, credentials).finally(() => underWay.delete(hash));
    underWay.set(hash, shared);
    return shared;
  };
}

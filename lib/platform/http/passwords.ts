import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { BackOff } from './back-off.ts';
import { FairQueue } from './fair-queue.ts';

/** A password as it is stored. */
export interface PasswordHash {
  readonly salt: string;
  readonly hash: string;
}

// About 100 ms and 32 MiB per attempt: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
const SCRYPT_OPTIONS = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const MAX_REMEMBERED_LOGINS = 1_000;

/** Hashes a new password with scrypt and a salt of its own. */
export async function hashPassword(password: string): Promise<PasswordHash> {
  const salt = randomBytes(16).toString('base64url');
  return { salt, hash: (await derive(password, salt)).toString('base64url') };
}

/** The client of a login. */
export interface LoginClient {
  readonly address: string;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
}

/** A password to verify. Without a client it is the platform itself that asks. */
export interface PasswordAttempt {
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
  const backOff = new BackOff();

  const check = async ({ user, password, stored }: PasswordAttempt, guesser: string, stop: AbortSignal) => {
    const isRight = await queue.run(idOf(user), stop, () => matches(password, stored));
    if (isRight) backOff.succeeded(guesser);
    else backOff.failed(guesser);
    return isRight;
  };

  return async (attempt) => {
    const { user, password, stored, client } = attempt;
    const id = idOf(user, password, stored?.hash ?? '');
    if (verified.has(id)) return true;
    const guesser = idOf(user, client?.address ?? '');
    backOff.check(guesser);
    // Concurrent logins with the same password share one derivation.
    const shared = pending.get(id) ?? new SharedCheck((stop) => check(attempt, guesser, stop));
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

/** Compares two secrets in constant time, whatever their lengths. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

async function matches(password: string, stored: PasswordHash | undefined): Promise<boolean> {
  const derived = await derive(password, stored?.salt ?? 'unknown user');
  return stored !== undefined && sameSecret(derived.toString('base64url'), stored.hash);
}

function derive(password: string, salt: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 32, SCRYPT_OPTIONS, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

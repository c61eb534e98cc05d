import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** A password as it is stored. */
export interface PasswordHash {
  readonly salt: string;
  readonly hash: string;
}

// About 100 ms and 32 MiB per attempt: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
const SCRYPT_OPTIONS = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const MAX_CACHED_LOGINS = 1_000;

/** Hashes a new password with scrypt and a salt of its own. */
export async function hashPassword(password: string): Promise<PasswordHash> {
  const salt = randomBytes(16).toString('base64url');
  return { salt, hash: (await derive(password, salt)).toString('base64url') };
}

/** Resolves with whether the password is the stored one. */
export type VerifyPassword = (user: string, password: string, stored: PasswordHash | undefined) => Promise<boolean>;

/**
 * Returns a function that verifies passwords and caches the right ones for `cacheMs`, so that only the first of many
 * logins pays for scrypt. The key of the cache is an HMAC under a key of this process; it covers the stored hash, so a
 * changed password misses. An unknown user (`undefined`) takes as long as a wrong password, so that the time does not
 * reveal which names exist.
 */
export function passwordVerifier(cacheMs: number): VerifyPassword {
  const hmacKey = randomBytes(32);
  const verified = new LRUCache<string, Promise<boolean>>({ max: MAX_CACHED_LOGINS, ttl: cacheMs });
  return (user, password, stored) => {
    const parts = [user, password, stored?.hash ?? ''];
    const id = createHmac('sha256', hmacKey).update(JSON.stringify(parts)).digest('base64url');
    const known = verified.get(id);
    if (known) return known;
    // The promise is cached, not its result: concurrent logins share one derivation.
    const answer = matches(password, stored);
    verified.set(id, answer);
    const forget = () => verified.delete(id);
    answer.then((isRight) => isRight || forget(), forget);
    return answer;
  };
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

import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** A password as it is stored. */
export interface PasswordHash {
  readonly salt: string;
  readonly hash: string;
}

// About 100 ms and 32 MiB a guess: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const remembered = 1_000;

/** Hashes a new password with scrypt and a salt of its own. */
export async function hashPassword(password: string): Promise<PasswordHash> {
  const salt = randomBytes(16).toString('base64url');
  return { salt, hash: (await derive(password, salt)).toString('base64url') };
}

/** Whether the password is the one that was stored. */
export type VerifyPassword = (user: string, password: string, stored: PasswordHash | undefined) => Promise<boolean>;

/**
 * Verifies passwords and remembers the right ones for `milliseconds`, so that only the first of many logins pays for
 * scrypt. What is remembered is an HMAC under a key of this process, over the stored hash too: a changed password misses.
 * An unknown user (`undefined`) costs as much as a wrong password, so that time does not tell which names exist.
 */
export function passwordVerifier(milliseconds: number): VerifyPassword {
  const key = randomBytes(32);
  const verified = new Map<string, { readonly until: number; readonly answer: Promise<boolean> }>();
  return (user, password, stored) => {
    const parts = [user, password, stored?.hash ?? ''];
    const id = createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
    const known = verified.get(id);
    if (known && known.until > performance.now()) return known.answer;
    // The promise is kept, not its result: logins that arrive together share one derivation.
    const answer = matches(password, stored);
    const forget = () => verified.delete(id);
    answer.then((right) => right || forget(), forget);
    verified.delete(id);
    verified.set(id, { until: performance.now() + milliseconds, answer });
    for (const oldest of verified.keys()) {
      if (verified.size <= remembered) break;
      verified.delete(oldest);
    }
    return answer;
  };
}

/** Compares two secrets in a time that does not tell where they differ, nor how long the right one is. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

async function matches(password: string, stored: PasswordHash | undefined): Promise<boolean> {
  const derived = await derive(password, stored?.salt ?? 'nobody');
  return stored !== undefined && sameSecret(derived.toString('base64url'), stored.hash);
}

function derive(password: string, salt: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 32, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

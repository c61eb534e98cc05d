import { createHash, scrypt, timingSafeEqual } from 'node:crypto';

export interface PasswordHash {
  readonly salt: string;
  readonly hash: string;
}

// About 100 ms and 32 MiB per password: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
const SCRYPT_OPTIONS = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const HASH_BYTES = 32;
const TOKEN_PREFIX = 'dwt_';

/** Hashes a new password with scrypt. The salt is 16 random bytes. */
export async function hashPassword(password: string, saltBytes: Buffer): Promise<PasswordHash> {
  const salt = saltBytes.toString('base64url');
  return { salt, hash: await derive(password, salt) };
}

/**
 * Returns whether a password is the stored one. An unknown user (`undefined`) takes as long as a wrong password, so
 * that the time does not say which names exist.
 */
export async function isPassword(password: string, stored: PasswordHash | undefined): Promise<boolean> {
  const derived = await derive(password, stored?.salt ?? 'unknown user');
  return stored !== undefined && sameSecret(derived, stored.hash);
}

/** Compares two secrets in constant time, whatever their lengths. */
export function sameSecret(one: string, other: string): boolean {
  // timingSafeEqual requires inputs of equal length, which digests have.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Returns an API token of 20 random bytes. */
export function tokenOf(bytes: Buffer): string {
  return TOKEN_PREFIX + bytes.toString('hex');
}

/** Returns a token as it is stored. A plain hash: nobody can guess 20 random bytes, and each request of a hook computes it. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Returns whether a secret has the form of an API token, this one's or an earlier one's, so that it is no password. */
export function looksLikeToken(secret: string): boolean {
  return secret.startsWith(TOKEN_PREFIX) && /^[\w-]{40,43}$/.test(secret.slice(TOKEN_PREFIX.length));
}

function derive(password: string, salt: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, key: Buffer) => (error ? reject(error) : resolve(key.toString('base64url')));
    scrypt(password, salt, HASH_BYTES, SCRYPT_OPTIONS, done);
  });
}

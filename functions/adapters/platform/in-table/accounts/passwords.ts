import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

// About 100 ms and 32 MiB per check: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
const SCRYPT_OPTIONS = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const HASH_BYTES = 32;
const TOKEN_PREFIX = 'dwt_';

/** Returns a new password as it is stored: `scrypt.<salt>.<hash>`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString('base64url');
  return `scrypt.${salt}.${(await derive(password, salt)).toString('base64url')}`;
}

/**
 * Returns whether a password is the stored one. An unknown user (`undefined`) takes as long as a wrong password, so
 * that the time does not say which names exist.
 */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, salt = '', hash = ''] = stored?.split('.') ?? [];
  const expected = Buffer.from(hash, 'base64url');
  const derived = await derive(password, salt);
  return expected.length === derived.length && timingSafeEqual(expected, derived);
}

/** Returns a new secret with 160 random bits: an API token, or a password that the user did not choose. */
export function newToken(): string {
  return TOKEN_PREFIX + randomBytes(20).toString('hex');
}

/** Returns a token as it is stored. A plain hash: nobody can guess 160 bits, and each request of a hook computes it. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Returns whether a secret has the form of a token, so that it is no password. */
export function looksLikeToken(secret: string): boolean {
  return /^dwt_[0-9a-f]{40}$/.test(secret);
}

function derive(password: string, salt: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, key: Buffer) => (error ? reject(error) : resolve(key));
    scrypt(password, salt, HASH_BYTES, SCRYPT_OPTIONS, done);
  });
}

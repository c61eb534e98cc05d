import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Returns whether two strings are equal, in constant time. */
export function isSame(one: string, other: string): boolean {
  // timingSafeEqual requires inputs of equal length, which digests have.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Returns the HMAC-SHA256 of the concatenated pieces. */
export function hmac(key: string | Uint8Array, encoding: 'hex' | 'base64', ...pieces: (string | Uint8Array)[]): string {
  const code = createHmac('sha256', key);
  for (const piece of pieces) code.update(piece);
  return code.digest(encoding);
}

/** How far a signed time may be from now, which limits replay attacks. */
const TOLERANCE_SECONDS = 5 * 60;

/** Returns whether a Unix time in seconds is close to `now`, which is in milliseconds since 1970. */
export function isRecent(seconds: number, now: number): boolean {
  return Math.abs(now / 1000 - seconds) <= TOLERANCE_SECONDS;
}

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Whether two texts are the same, in a time that tells nothing about where they differ. */
export function isSame(one: string, other: string): boolean {
  // Digests have one length, which timingSafeEqual asks for.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** The HMAC-SHA256 of some pieces, one after the other. */
export function hmac(key: string | Uint8Array, encoding: 'hex' | 'base64', ...pieces: (string | Uint8Array)[]): string {
  const code = createHmac('sha256', key);
  for (const piece of pieces) code.update(piece);
  return code.digest(encoding);
}

/** How far a signed time may be from now, in seconds: whoever records a call cannot send it again later. */
const toleranceSeconds = 5 * 60;

/** Whether a time in seconds since 1970 is close to now, which is in milliseconds since 1970. */
export function isRecent(seconds: number, now: number): boolean {
  return Math.abs(now / 1000 - seconds) <= toleranceSeconds;
}

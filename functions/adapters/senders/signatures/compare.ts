import { createHmac } from 'node:crypto';

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

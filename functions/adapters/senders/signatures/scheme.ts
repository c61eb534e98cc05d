import { createHmac } from 'node:crypto';
import type { HookCall } from '../../../core/ports/sender.ts';
import { sameSecret } from '../../../core/secrets.ts';

export interface SignatureScheme {
  isSigned(headers: HookCall['headers']): boolean;
  /** Whether the signature was made with this secret; `now` is in milliseconds since 1970. Never throws. */
  isValid(call: HookCall, secret: string, now: number): boolean;
  /**
   * For senders that publish their public key: returns the key in what the sender's API responds at the address that is
   * configured in place of a secret. Throws an Error that quotes nothing of it when there is none.
   */
  readonly publishedKey?: (response: string) => string;
}

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

/**
 * Returns the scheme of a header that contains the HMAC-SHA256 of the raw body in hex, after a prefix. Of several
 * headers the first one that is present is used.
 */
export function hmacHeader(prefix: string, ...names: readonly string[]): SignatureScheme {
  const signatureOf = (headers: HookCall['headers']) => names.map((name) => headers[name]).find(Boolean);
  return {
    isSigned: (headers) => signatureOf(headers) !== undefined,
    isValid: ({ headers, raw }, secret) =>
      sameSecret(signatureOf(headers)?.toLowerCase() ?? '', `${prefix}${hmac(secret, 'hex', raw)}`),
  };
}

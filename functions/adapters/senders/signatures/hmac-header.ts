import type { HookCall } from '../../../core/ports/sender.ts';
import { sameSecret } from '../../../core/secrets.ts';
import { hmac } from './compare.ts';
import type { SignatureScheme } from './scheme.ts';

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

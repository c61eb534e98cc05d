import { createHash } from 'node:crypto';
import type { HookCall } from '../../../core/ports/sender.ts';
import { sameSecret } from '../../../core/secrets.ts';
import { hmac, isRecent } from '../signatures/compare.ts';
import type { SignatureScheme } from '../signatures/scheme.ts';

/**
 * Drone: an HTTP signature over the headers `date` and `digest`, which is the digest of the body
 * (https://docs.drone.io/webhooks/overview/, https://datatracker.ietf.org/doc/html/draft-cavage-http-signatures).
 */
export const droneSignature: SignatureScheme = {
  isSigned: (headers) => Boolean(headers.signature),
  isValid: ({ headers, raw }, secret, now) => {
    const { date = '', digest = '', signature = '' } = headers;
    if (!sameSecret(digest, `SHA-256=${createHash('sha256').update(raw).digest('base64')}`)) return false;
    if (!isRecent(Date.parse(date) / 1000, now)) return false;
    const signed = parameter(signature, 'headers') ?? '';
    if (!['date', 'digest'].every((name) => signed.split(' ').includes(name))) return false;
    return sameSecret(parameter(signature, 'signature') ?? '', hmac(secret, 'base64', signingText(signed, headers)));
  },
};

function signingText(names: string, headers: HookCall['headers']): string {
  return names
    .split(' ')
    .map((name) => `${name}: ${headers[name] ?? ''}`)
    .join('\n');
}

function parameter(signature: string, name: string): string | undefined {
  return new RegExp(`(?:^|[ ,])${name}="([^"]{1,500})"`).exec(signature.slice(0, 2000))?.[1];
}

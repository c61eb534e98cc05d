import { createPublicKey, verify } from 'node:crypto';
import * as v from 'valibot';
import { payloadText } from '../../../core/payload/payload.ts';
import type { Scheme } from '../signatures/scheme.ts';

/**
 * Travis CI: RSA with SHA-1 over the payload as it is in the form, once decoded
 * (https://docs.travis-ci.com/user/notifications/#verifying-webhook-requests). The secret is the public key, in PEM.
 */
export const travisSignature: Scheme = {
  isSigned: (headers) => Boolean(headers.signature),
  isValid: ({ headers, raw }, publicKey) => {
    try {
      const signature = Buffer.from(headers.signature ?? '', 'base64');
      return verify('RSA-SHA1', Buffer.from(payloadText(raw)), publicKey, signature);
    } catch {
      // No payload in the form, or a key that is none: nothing has been proved.
      return false;
    }
  },
};

const configBody = v.object({
  config: v.object({ notifications: v.object({ webhook: v.object({ public_key: v.string() }) }) }),
});

/**
 * The public key, in PEM, in what the API of Travis CI answers at `/config`. Throws an Error that quotes nothing when there
 * is none.
 */
export function travisKey(config: string): string {
  try {
    const { public_key } = v.parse(configBody, JSON.parse(config)).config.notifications.webhook;
    if (createPublicKey(public_key).asymmetricKeyType === 'rsa') return public_key;
  } catch {
    // Said below, without what was found.
  }
  throw new Error('it answered something without config.notifications.webhook.public_key');
}

import { createPublicKey, verify } from 'node:crypto';
import * as v from 'valibot';
import { payloadText } from '../../../core/payload/payload.ts';
import type { SignatureScheme } from '../signatures/scheme.ts';

/**
 * Travis CI: RSA with SHA-1 over the payload as it is in the form, once decoded
 * (https://docs.travis-ci.com/user/notifications/#verifying-webhook-requests). The secret is the public key in PEM, or
 * the address of the API that responds with it.
 */
export const travisSignature: SignatureScheme = {
  isSigned: (headers) => Boolean(headers.signature),
  isValid: ({ headers, raw }, publicKey) => {
    try {
      const signature = Buffer.from(headers.signature ?? '', 'base64');
      return verify('RSA-SHA1', Buffer.from(payloadText(raw)), publicKey, signature);
    } catch {
      // The form has no payload, or the secret is not a key.
      return false;
    }
  },
  publishedKey: travisKey,
};

const configBody = v.object({
  config: v.object({ notifications: v.object({ webhook: v.object({ public_key: v.string() }) }) }),
});

/**
 * Returns the public key in PEM of the response of Travis CI's API at `/config`. Throws an Error that quotes nothing.
 */
function travisKey(config: string): string {
  try {
    const { public_key } = v.parse(configBody, JSON.parse(config)).config.notifications.webhook;
    if (createPublicKey(public_key).asymmetricKeyType === 'rsa') return public_key;
  } catch {
    // Thrown below, without the content.
  }
  throw new Error('it answered something without config.notifications.webhook.public_key');
}

import { verify } from 'node:crypto';
import { payloadText } from '../../../core/payload.ts';
import type { Scheme } from './scheme.ts';

/**
 * Travis CI: RSA with SHA-1 over the payload as it is in the form, once decoded
 * (https://docs.travis-ci.com/user/notifications/#verifying-webhook-requests). The secret is the public key, in PEM, that
 * the API gives at `/config` as `config.notifications.webhook.public_key`.
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

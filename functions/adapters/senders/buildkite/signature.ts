import { sameSecret } from '../../../core/secrets.ts';
import { hmac, isRecent } from '../signatures/compare.ts';
import type { SignatureScheme } from '../signatures/scheme.ts';

/**
 * Buildkite: the token itself, or a signature over time and body
 * (https://buildkite.com/docs/apis/webhooks/pipelines#webhook-signature).
 */
export const buildkiteSignature: SignatureScheme = {
  isSigned: (headers) => Boolean(headers['x-buildkite-token'] || headers['x-buildkite-signature']),
  isValid: ({ headers, raw }, secret, now) => {
    if (sameSecret(headers['x-buildkite-token'] ?? '', secret)) return true;
    const signature = /^timestamp=(\d{1,12}),signature=([\da-f]{64})$/.exec(headers['x-buildkite-signature'] ?? '');
    const [, time = '', digits = ''] = signature ?? [];
    return (
      signature !== null && isRecent(Number(time), now) && sameSecret(digits, hmac(secret, 'hex', `${time}.`, raw))
    );
  },
};

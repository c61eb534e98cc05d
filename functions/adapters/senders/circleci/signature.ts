import { sameSecret } from '../../../core/secrets.ts';
import { hmac } from '../signatures/compare.ts';
import type { SignatureScheme } from '../signatures/scheme.ts';

/**
 * CircleCI: a list of signatures by version, of which only `v1` is known and others are ignored
 * (https://circleci.com/docs/outbound-webhooks/#validate-webhooks).
 */
export const circleciSignature: SignatureScheme = {
  isSigned: (headers) => Boolean(headers['circleci-signature']),
  isValid: ({ headers, raw }, secret) => {
    const signatures = (headers['circleci-signature'] ?? '').slice(0, 2000).split(',');
    const wanted = `v1=${hmac(secret, 'hex', raw)}`;
    return signatures.some((signature) => sameSecret(signature.trim(), wanted));
  },
};

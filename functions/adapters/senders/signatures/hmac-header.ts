import type { HookCall } from '../../../core/ports/sender.ts';
import { hmac, isSame } from './compare.ts';
import type { Scheme } from './scheme.ts';

/** A header that holds HMAC-SHA256 of the raw body in hex, behind a prefix. Of several headers the first one counts. */
function hmacHeader(prefix: string, ...names: readonly string[]): Scheme {
  const signatureOf = (headers: HookCall['headers']) => names.map((name) => headers[name]).find(Boolean);
  return {
    isSigned: (headers) => signatureOf(headers) !== undefined,
    isValid: ({ headers, raw }, secret) =>
      isSame(signatureOf(headers)?.toLowerCase() ?? '', `${prefix}${hmac(secret, 'hex', raw)}`),
  };
}

/** GitHub, over a form as well (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries). */
export const githubSignature = hmacHeader('sha256=', 'x-hub-signature-256');

/** Bitbucket Cloud (https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/#Secure-webhooks). */
export const bitbucketSignature = hmacHeader('sha256=', 'x-hub-signature');

/** Gitea: the bare digits (https://docs.gitea.com/usage/webhooks). */
export const giteaSignature = hmacHeader('', 'x-gitea-signature');

/** Forgejo, of which older versions signed as Gitea. */
export const forgejoSignature = hmacHeader('', 'x-forgejo-signature', 'x-gitea-signature');

/** Gogs (https://gogs.io/docs/features/webhook). */
export const gogsSignature = hmacHeader('', 'x-gogs-signature');

/**
 * CircleCI: a list of versions, of which only `v1` is known and others are passed over
 * (https://circleci.com/docs/outbound-webhooks/#validate-webhooks).
 */
export const circleciSignature: Scheme = {
  isSigned: (headers) => Boolean(headers['circleci-signature']),
  isValid: ({ headers, raw }, secret) => {
    const signatures = (headers['circleci-signature'] ?? '').slice(0, 2000).split(',');
    const wanted = `v1=${hmac(secret, 'hex', raw)}`;
    return signatures.some((signature) => isSame(signature.trim(), wanted));
  },
};

import type { HookCall } from '../../../core/ports/sender.ts';
import { sameSecret } from '../../../core/secrets.ts';
import { hmac, isRecent, type SignatureScheme } from '../signatures/scheme.ts';

/**
 * GitLab: the secret itself in `X-Gitlab-Token`, or, with a signing token, a signature according to
 * https://www.standardwebhooks.com over id, time and body
 * (https://docs.gitlab.com/user/project/integrations/webhooks/). A webhook may send both: one valid is enough.
 */
export const gitlabSignature: SignatureScheme = {
  isSigned: (headers) => Boolean(headers['x-gitlab-token'] || headers['webhook-signature']),
  isValid: (call, secret, now) =>
    sameSecret(call.headers['x-gitlab-token'] ?? '', secret) ||
    keysOf(secret).some((key) => isSignedBy(call, key, now)),
};

function isSignedBy({ headers, raw }: HookCall, key: string | Uint8Array, now: number): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': signatures = '' } = headers;
  if (!/^\d{1,12}$/.test(time) || !isRecent(Number(time), now)) return false;
  const wanted = `v1,${hmac(key, 'base64', `${id}.${time}.`, raw)}`;
  // While a token is being rotated there are several, separated by spaces.
  return signatures
    .slice(0, 2000)
    .split(' ')
    .some((signature) => sameSecret(signature, wanted));
}

/** Returns the keys that a secret may represent: the standard encodes a key as `whsec_` followed by base64. */
function keysOf(secret: string): readonly (string | Uint8Array)[] {
  return secret.startsWith('whsec_') ? [Buffer.from(secret.slice('whsec_'.length), 'base64'), secret] : [secret];
}

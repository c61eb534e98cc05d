import type { HookCall } from '../../../core/ports/sender.ts';
import { hmac, isRecent, isSame } from '../signatures/compare.ts';
import type { SignatureScheme } from '../signatures/scheme.ts';

/**
 * GitLab: the secret itself in `X-Gitlab-Token`, or, with a signing token, a signature after
 * https://www.standardwebhooks.com over id, time and body
 * (https://docs.gitlab.com/user/project/integrations/webhooks/). A hook may have both: either one will do.
 */
export const gitlabSignature: SignatureScheme = {
  isSigned: (headers) => Boolean(headers['x-gitlab-token'] || headers['webhook-signature']),
  isValid: (call, secret, now) =>
    isSame(call.headers['x-gitlab-token'] ?? '', secret) || keysOf(secret).some((key) => isSignedBy(call, key, now)),
};

function isSignedBy({ headers, raw }: HookCall, key: string | Uint8Array, now: number): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': signatures = '' } = headers;
  if (!/^\d{1,12}$/.test(time) || !isRecent(Number(time), now)) return false;
  const wanted = `v1,${hmac(key, 'base64', `${id}.${time}.`, raw)}`;
  // While a token is replaced there are several, with blanks between them.
  return signatures
    .slice(0, 2000)
    .split(' ')
    .some((signature) => isSame(signature, wanted));
}

/** The standard writes a key as `whsec_` and its base64. */
function keysOf(secret: string): readonly (string | Uint8Array)[] {
  return secret.startsWith('whsec_') ? [Buffer.from(secret.slice('whsec_'.length), 'base64'), secret] : [secret];
}

import type { HookCall } from '../../../core/ports/sender.ts';
import { buildkiteSignature } from '../buildkite/signature.ts';
import { droneSignature } from '../drone/signature.ts';
import { gitlabSignature } from '../gitlab/signature.ts';
import { travisSignature } from '../travis/signature.ts';
import {
  bitbucketSignature,
  circleciSignature,
  forgejoSignature,
  giteaSignature,
  githubSignature,
  gogsSignature,
} from './hmac-header.ts';
import type { Scheme } from './scheme.ts';

/** What a signature says of a call. `unsupported`: this sender cannot sign. */
export type Verdict = 'valid' | 'missing' | 'invalid' | 'unsupported';

/** How each sender signs, by the provider's name in the log. AppVeyor and Jenkins cannot sign. */
const schemes = new Map<string, Scheme>([
  ['github', githubSignature],
  ['github-actions', githubSignature],
  ['github-checks', githubSignature],
  ['github-status', githubSignature],
  ['gitlab', gitlabSignature],
  ['gitlab-ci', gitlabSignature],
  ['bitbucket', bitbucketSignature],
  ['bitbucket-pipelines', bitbucketSignature],
  ['gitea', giteaSignature],
  ['gitea-actions', giteaSignature],
  ['forgejo', forgejoSignature],
  ['forgejo-actions', forgejoSignature],
  ['gogs', gogsSignature],
  ['travis', travisSignature],
  ['circleci', circleciSignature],
  ['buildkite', buildkiteSignature],
  ['drone', droneSignature],
]);

/**
 * Whether a call was signed with one of the secrets (two may hold while one replaces the other). `sender` is the
 * provider's name in the log: `github`, `travis`, …; of Travis CI, the secrets are its public keys in PEM. An empty secret
 * proves nothing. `now`, in milliseconds since 1970, is for senders that sign the time. Never throws.
 */
export function verifySignature(
  sender: string,
  call: HookCall,
  secrets: readonly string[],
  now: number = Date.now(),
): Verdict {
  const scheme = schemes.get(sender);
  if (scheme === undefined) return 'unsupported';
  if (!scheme.isSigned(call.headers)) return 'missing';
  // Every secret is tried, so that the time does not tell which one it was.
  const made = secrets.filter((secret) => secret !== '' && scheme.isValid(call, secret, now));
  return made.length > 0 ? 'valid' : 'invalid';
}

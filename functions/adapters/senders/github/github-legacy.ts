import * as v from 'valibot';
import type { Push } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { factsId } from '../fields/delivery-id.ts';
import { readGithubPush } from '../fields/github-push.ts';
import { githubSignature } from './signature.ts';

const commitTime = v.object({ head_commit: v.object({ timestamp: v.string() }) });
const pushTime = v.object({ repository: v.object({ pushed_at: v.union([v.string(), v.number()]) }) });

/**
 * A push of GitHub that comes without GitHub's headers: from the services of 2012
 * (https://github.com/github/github-services), from a relay, or from curl with a payload that someone saved.
 */
export const githubLegacy = defineSender({
  id: 'github-legacy',
  provider: 'github',
  name: 'GitHub, without headers',
  sends: 'pushes',
  webhook: 'github',
  requiredFields: ['ref', 'after', 'repository.name', 'repository.owner'],
  // Pushes of other hosts have the fields above too; GitHub sends neither GitLab's kind nor Gitea's address.
  foreignFields: ['object_kind', 'compare_url'],
  signature: githubSignature,
  tested: { with: 'fixtures', how: ['read'] },
  read: ({ body }: HookCall) => {
    const push = readGithubPush(body, 'a push of GitHub without headers');
    return [{ ...push, id: contentId(push, body) }];
  },
});

/**
 * The id that such a sender lacks, from what was pushed: a repeated call is the same delivery. The times tell apart a
 * branch that is forced from one commit to another and back, and there again.
 */
function contentId(push: Omit<WithoutProvider<Push>, 'id'>, body: unknown): string {
  const commit = v.safeParse(commitTime, body);
  const pushed = v.safeParse(pushTime, body);
  return factsId('push', [
    push.repository.owner.toLowerCase(),
    push.repository.name.toLowerCase(),
    push.ref,
    push.before,
    push.sha,
    commit.success ? commit.output.head_commit.timestamp : null,
    pushed.success ? pushed.output.repository.pushed_at : null,
  ]);
}

import * as v from 'valibot';
import type { Push } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { readGithubPush } from '../fields/github-push.ts';
import { factsId } from '../fields/read.ts';
import { githubSignature } from './webhook.ts';

const commitTime = v.object({ head_commit: v.object({ timestamp: v.string() }) });
const pushTime = v.object({ repository: v.object({ pushed_at: v.union([v.string(), v.number()]) }) });

/**
 * A push of GitHub without GitHub's headers: from GitHub services (https://github.com/github/github-services), a relay,
 * or curl with a saved payload.
 */
export const githubLegacy = defineSender({
  id: 'github-legacy',
  provider: 'github',
  name: 'GitHub, without headers',
  sends: 'pushes',
  webhook: 'github',
  requiredFields: ['ref', 'after', 'repository.name', 'repository.owner'],
  // Pushes of other hosts also have these fields; GitHub sends neither GitLab's `object_kind` nor Gitea's
  // `compare_url`.
  foreignFields: ['object_kind', 'compare_url'],
  signature: githubSignature,
  read: ({ body }: HookCall) => {
    const push = readGithubPush(body, 'a push of GitHub without headers');
    return [{ ...push, id: contentId(push, body) }];
  },
});

/**
 * Returns an id derived from the push: a repeated call is the same delivery. The timestamps distinguish pushes that
 * force a branch from one commit to another, back, and to the same commit again.
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

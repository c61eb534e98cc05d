import * as v from 'valibot';
import type { Push } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { hasField } from '../fields/body.ts';
import { factsId } from '../fields/delivery-id.ts';
import type { DescribedSender } from '../fields/described.ts';
import { announcement } from '../fields/event-header.ts';
import { readGithubPush } from '../fields/github-push.ts';

const needs = ['ref', 'after', 'repository.name', 'repository.owner'];
// Push payloads of other hosts have the fields above too; GitHub has not these (GitLab's kind, Gitea's address).
const foreign = ['object_kind', 'compare_url'];

const commitTime = v.object({ head_commit: v.object({ timestamp: v.string() }) });
const pushTime = v.object({ repository: v.object({ pushed_at: v.union([v.string(), v.number()]) }) });

/**
 * A push of GitHub that comes without GitHub's headers: from the services of 2012
 * (https://github.com/github/github-services), from a relay, or from curl with a payload that someone saved.
 */
export const githubLegacy: DescribedSender = {
  name: 'GitHub, without headers',
  knownBy: 'a body with ref, after and repository, as GitHub sends it',
  needs,
  recognises: ({ headers, body }) =>
    announcement(headers) === null &&
    needs.every((path) => hasField(body, path)) &&
    !foreign.some((path) => hasField(body, path)),
  read: ({ body }: HookCall) => {
    const push = readGithubPush(body, 'a push of GitHub without headers');
    return [{ ...push, id: contentId(push, body) }];
  },
};

/**
 * The id that such a sender lacks, from what was pushed: a repeated call is the same delivery. The times tell apart a
 * branch that is forced from one commit to another and back, and there again.
 */
function contentId(push: Omit<Push, 'id'>, body: unknown): string {
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

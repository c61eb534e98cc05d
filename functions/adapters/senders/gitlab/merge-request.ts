import * as v from 'valibot';
import type { PullRequest } from '../../../core/payload/delivery.ts';
import { oneLine } from '../../../core/text.ts';
import type { WithoutProvider } from '../define-sender.ts';
import { refName, sha, shaOrNone } from '../fields/git.ts';
import { pullRequestNumber } from '../fields/pull-request.ts';
import { readBody, text } from '../fields/read.ts';
import { gitlabProject } from './project.ts';

const flag = v.nullish(v.boolean());
const commit = v.object({ id: sha, author: v.nullish(v.object({ name: text })) });
const body = v.object({
  object_attributes: v.object({
    iid: pullRequestNumber,
    action: text,
    oldrev: v.nullish(sha),
    title: text,
    draft: flag,
    work_in_progress: flag,
    source_branch: refName,
    // Null when the fork was deleted.
    source_project_id: v.nullish(v.number()),
    target_project_id: v.number(),
    // Null when GitLab does not find the commit any more.
    last_commit: v.nullable(commit),
  }),
  changes: v.nullish(
    v.object({
      draft: v.nullish(v.object({ previous: flag, current: flag })),
      title: v.fallback(v.nullish(v.object({ previous: text, current: text })), null),
    }),
  ),
  project: gitlabProject,
});
type Body = v.InferOutput<typeof body>;

const actionOf = v.object({ object_attributes: v.object({ action: text }) });

/** All others, such as `approved`, change no commit. */
const ACTIONS = ['open', 'reopen', 'update', 'close', 'merge'];
const ENDS = ['close', 'merge'];

/**
 * Returns a merge request of GitLab, without its id; null for a call that neither changes its commit nor closes it. A
 * commit of a fork is in the target project too, as `refs/merge-requests/<iid>/head`. Throws
 * `deploy:provider:not_supported`, which names the missing field.
 *
 * https://docs.gitlab.com/user/project/integrations/webhook_events/#merge-request-events
 */
export function readMergeRequest(sent: unknown): Omit<WithoutProvider<PullRequest>, 'id'> | null {
  const what = 'a merge request of GitLab';
  const action = readBody(actionOf, sent, what).object_attributes.action ?? '';
  if (!ACTIONS.includes(action)) return null;
  const call = readBody(body, sent, what);
  const { object_attributes: merge, project } = call;
  if (merge.last_commit === null || (action === 'update' && !isPreviewed(call))) return null;
  return {
    kind: 'pull',
    hostKind: 'gitlab',
    repository: project,
    number: merge.iid,
    closed: ENDS.includes(action),
    draft: merge.draft ?? merge.work_in_progress ?? isDraftTitle(merge.title),
    fromFork: merge.source_project_id !== merge.target_project_id,
    branch: merge.source_branch,
    sha: merge.last_commit.id,
    before: shaOrNone(merge.oldrev ?? '0'),
    title: oneLine(merge.title ?? '', 200),
    author: oneLine(merge.last_commit.author?.name ?? '', 100),
  };
}

/** Whether an update has a new commit, which only then names the one before, or made a draft ready. */
function isPreviewed({ object_attributes: { oldrev }, changes }: Body): boolean {
  const { draft, title } = changes ?? {};
  if (oldrev) return true;
  if (draft) return draft.previous === true && draft.current === false;
  // Older versions only say so in the title.
  return Boolean(title) && isDraftTitle(title?.previous) && !isDraftTitle(title?.current);
}

/** https://docs.gitlab.com/user/project/merge_requests/drafts/ */
function isDraftTitle(title: string | null | undefined): boolean {
  return /^\s*(?:\[(?:draft|wip)\]|\(draft\)|(?:draft|wip):)/i.test(title ?? '');
}

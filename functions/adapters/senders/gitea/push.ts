import * as v from 'valibot';
import type { Delivery, Notice } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import type { WithoutProvider } from '../define-sender.ts';
import { type HeadCommit, headCommit, messageFields } from '../fields/commit.ts';
import { branchOf, ref, sha, shaOrNone } from '../fields/git.ts';
import { githubRepository } from '../fields/github-push.ts';
import { readPullRequest, wantsPreviews } from '../fields/pull-request.ts';
import { readBody } from '../fields/read.ts';

const pushBody = v.object({
  ref,
  after: sha,
  before: v.nullish(v.fallback(v.nullable(sha), null)),
  head_commit: v.fallback(v.nullish(v.unknown()), null),
  commits: v.nullish(v.array(v.unknown())),
  pusher: v.nullish(v.object({ full_name: v.nullish(v.string()), login: v.nullish(v.string()) })),
  repository: githubRepository,
});

const noticeBody = v.object({
  ref: v.fallback(v.nullish(v.string()), null),
  ref_type: v.fallback(v.nullish(v.string()), null),
  repository: v.fallback(v.nullable(githubRepository), null),
});

/** Why other events about CI become notices. */
const ciReasons = new Map([
  ['workflow_job', 'A job is one part of a run; the service waits for the event workflow_run.'],
  ['status', 'A commit status names no branch here, so it cannot vouch for one; send the workflow runs.'],
]);

/**
 * Returns the delivery of Gitea or Forgejo, without the id (https://docs.gitea.com/usage/webhooks). `event` is
 * the value of the host's own header; undefined when there is none and the body looks like a push. Pushes are like
 * GitHub's, but lack `forced`, and the deletion of a branch is a separate event. Throws `deploy:provider:not_supported`.
 */
export function readGitea(host: string, call: HookCall, event: string | undefined): WithoutProvider<Delivery> {
  const { body } = call;
  if (event === undefined || event === 'push') return pushOf(body, host);
  const isPull = PULL_EVENTS.includes(event) && wantsPreviews(call);
  const pull = isPull ? readPullRequest(body, 'gitea', `a pull request of ${host}`) : null;
  return pull ? { ...pull, id: null } : noticeOf(body, event, host);
}

/** A new commit has an event of its own in the list of a webhook, and in the header of some versions. */
const PULL_EVENTS = ['pull_request', 'pull_request_sync'];

function pushOf(body: unknown, host: string): WithoutProvider<Delivery> {
  const push = readBody(pushBody, body, `a push of ${host}`);
  const head = headOf(push);
  return {
    kind: 'push',
    hostKind: 'gitea',
    id: null,
    repository: push.repository,
    ref: push.ref,
    branch: branchOf(push.ref),
    sha: shaOrNone(push.after),
    before: shaOrNone(push.before ?? '0'),
    forced: false,
    ...messageFields(head?.message),
    author: oneLine(head?.author?.name ?? push.pusher?.full_name ?? push.pusher?.login ?? '', 100),
  };
}

/** Only some commits are sent, and older versions have no `head_commit`. */
function headOf({ head_commit, commits, after }: v.InferOutput<typeof pushBody>): HeadCommit | null {
  return headCommit([head_commit, ...(commits ?? [])], after);
}

function noticeOf(body: unknown, event: string, host: string): WithoutProvider<Notice> {
  const shown = oneLine(event, 60) ?? 'without a name';
  const { ref: name, ref_type, repository } = readBody(noticeBody, body, `the event ${shown} of ${host}`);
  const what = oneLine(name ?? '', 100);
  const reason =
    event === 'delete' && what !== null
      ? `The ${ref_type === 'tag' ? 'tag' : 'branch'} ${what} was deleted.`
      : (ciReasons.get(event) ??
        `The event ${shown} of ${host} deploys nothing; the service acts on pushes and CI results.`);
  return { kind: 'notice', id: null, repository, reason };
}

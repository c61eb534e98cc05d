import * as v from 'valibot';
import { type DeliveredRepository, isWorkInProgress, type PullRequest } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import type { WithoutProvider } from '../define-sender.ts';
import { refName, sha } from './git.ts';
import { githubRepository } from './github-push.ts';
import { readBody, text } from './read.ts';

export const pullRequestNumber = v.pipe(
  v.number(),
  v.integer('is not a whole number'),
  v.minValue(1, 'is not above zero'),
);

const place = v.nullish(v.object({ full_name: text, id: v.nullish(v.number()) }));
const body = v.object({
  action: v.string(),
  number: pullRequestNumber,
  before: v.nullish(v.fallback(v.nullable(sha), null)),
  changes: v.nullish(v.object({ title: v.nullish(v.object({ from: text })) })),
  pull_request: v.object({
    title: text,
    draft: v.nullish(v.boolean()),
    user: v.nullish(v.object({ login: text })),
    head: v.object({ ref: refName, sha, repo: place, repo_id: v.nullish(v.number()) }),
    base: v.object({ repo: place, repo_id: v.nullish(v.number()) }),
  }),
  repository: githubRepository,
});
type Body = v.InferOutput<typeof body>;

const actionOf = v.object({ action: v.string() });

/** Whether a webhook previews pull requests: without it, they are events like all others that deploy nothing. */
export function wantsPreviews({ query }: HookCall): boolean {
  return query.previews !== undefined;
}

/** GitHub says `synchronize`, Gitea and Forgejo say `synchronized`. */
const MOVES = ['opened', 'reopened', 'synchronize', 'synchronized', 'ready_for_review'];

/**
 * Returns a pull request of GitHub, Gitea or Forgejo, without its id; null for an action that neither changes its commit
 * nor closes it. Throws `deploy:provider:not_supported`, which names the missing field.
 *
 * https://docs.github.com/webhooks/webhook-events-and-payloads#pull_request; `PullRequestPayload` in
 * https://github.com/go-gitea/gitea/blob/main/modules/structs/hook.go
 */
export function readPullRequest(
  sent: unknown,
  hostKind: string,
  what: string,
): Omit<WithoutProvider<PullRequest>, 'id'> | null {
  const { action } = readBody(actionOf, sent, what);
  if (action !== 'closed' && action !== 'edited' && !MOVES.includes(action)) return null;
  const call = readBody(body, sent, what);
  if (action === 'edited' && !isMadeReady(call)) return null;
  const { number, before, pull_request: pull, repository } = call;
  return {
    kind: 'pull',
    hostKind,
    repository,
    number,
    closed: action === 'closed',
    draft: isDraft(call),
    fromFork: isFromFork(call, repository),
    branch: pull.head.ref,
    sha: pull.head.sha,
    before: before ?? null,
    title: oneLine(pull.title ?? '', 200),
    author: oneLine(pull.user?.login ?? '', 100),
  };
}

function isDraft({ pull_request: { draft, title } }: Body): boolean {
  return draft ?? isWorkInProgress(title);
}

/** Gitea has no event for it: the title was edited. */
function isMadeReady(call: Body): boolean {
  return isWorkInProgress(call.changes?.title?.from) && !isWorkInProgress(call.pull_request.title);
}

/** A repository that was deleted is one of a stranger too. */
function isFromFork({ pull_request: { head, base } }: Body, { owner, name }: DeliveredRepository): boolean {
  const from = head.repo?.id ?? head.repo_id ?? null;
  const into = base.repo?.id ?? base.repo_id ?? null;
  if (from !== null && into !== null) return from !== into;
  return head.repo?.full_name?.toLowerCase() !== `${owner}/${name}`.toLowerCase();
}

import * as v from 'valibot';
import { type BuildResult, type Outcome, settled } from '../../core/delivery.ts';
import type { HookCall } from '../../core/ports/sender.ts';
import { oneLine } from '../../core/text.ts';
import { webAddress } from './fields/address.ts';
import { messageFields } from './fields/commit-message.ts';
import { outcomeOfConclusion } from './fields/conclusion.ts';
import { deliveryId } from './fields/delivery-id.ts';
import type { DescribedSender } from './fields/described.ts';
import { branchNamed, sha } from './fields/git.ts';
import { isCiEvent } from './fields/github-event.ts';
import { githubRepository } from './fields/github-push.ts';
import { readBody } from './fields/read.ts';

const text = v.nullish(v.string());
const runBody = v.object({
  action: v.string(),
  workflow_run: v.object({
    head_sha: sha,
    head_branch: text,
    event: v.string(),
    conclusion: text,
    status: text,
    name: text,
    html_url: text,
    head_commit: v.nullish(v.object({ message: text, author: v.nullish(v.object({ name: text })) })),
    head_repository: v.nullish(v.object({ full_name: text })),
  }),
  repository: githubRepository,
});
type Body = v.InferOutput<typeof runBody>;
type Run = Body['workflow_run'];

/** Events whose runs are about the commit that was pushed. */
const aboutTheCommit = ['push', 'workflow_dispatch'];

/**
 * GitHub Actions: the event `workflow_run` (https://docs.github.com/webhooks/webhook-events-and-payloads#workflow_run).
 * Runs for a pull request are flagged, and so are those of a fork, whose branch may well be called `main`. Runs for an
 * issue, a schedule or another workflow carry the newest commit of the default branch without having tested it: neutral.
 */
export const githubActions: DescribedSender = {
  name: 'GitHub Actions',
  knownBy: 'the header X-GitHub-Event: workflow_run',
  needs: [],
  recognises: ({ headers }) => isCiEvent(headers, 'workflow_run'),
  read: ({ headers, body }: HookCall) => [
    buildOf(readBody(runBody, body, 'a workflow run of GitHub Actions'), deliveryId(headers['x-github-delivery'])),
  ],
};

function buildOf({ action, workflow_run: run, repository }: Body, id: string | null): BuildResult {
  return {
    kind: 'build',
    provider: 'github-actions',
    hostKind: 'github',
    id,
    repository,
    sha: run.head_sha,
    shaPrefix: null,
    branch: branchNamed(run.head_branch),
    check: oneLine(run.name ?? '', 100) ?? 'GitHub Actions',
    ...settled(outcomeOf(run, action)),
    state: oneLine(run.conclusion ?? run.status ?? action, 40) ?? action,
    pullRequest: isPullRequest(run, `${repository.owner}/${repository.name}`),
    ...messageFields(run.head_commit?.message),
    author: oneLine(run.head_commit?.author?.name ?? '', 100),
    url: webAddress(run.html_url)?.href ?? null,
  };
}

function outcomeOf({ event, conclusion }: Run, action: string): Outcome {
  if (!aboutTheCommit.includes(event)) return 'neutral';
  return action === 'completed' ? outcomeOfConclusion(conclusion) : 'pending';
}

function isPullRequest({ event, head_repository }: Run, own: string): boolean {
  if (event.startsWith('pull_request') || event === 'merge_group') return true;
  const head = head_repository?.full_name;
  return typeof head === 'string' && head.toLowerCase() !== own.toLowerCase();
}

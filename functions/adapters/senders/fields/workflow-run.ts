import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { BuildResult, CheckOutcome } from '../../../core/payload/delivery.ts';
import { oneLine } from '../../../core/text.ts';
import type { WithoutProvider } from '../define-sender.ts';
import { buildResult } from './build.ts';
import { branchNamed, sha } from './git.ts';
import { githubRepository } from './github-push.ts';
import { optionalId, optionalNumber, readBody, text } from './read.ts';
import { isTimed, outcomeOfConclusion, TIMED_STATE, verdictReader } from './verdict.ts';

// GitHub sends the whole commit; Gitea sends its subject as the title of the run, and the workflow as a separate field.
const endFields = v.object({
  event: v.string(),
  conclusion: text,
  status: text,
  head_repository: v.nullish(v.object({ full_name: text })),
});
const endBody = v.object({
  action: v.string(),
  workflow_run: endFields,
  repository: v.fallback(v.nullable(githubRepository), null),
});
const runBody = v.object({
  action: v.string(),
  workflow_run: v.object({
    ...endFields.entries,
    head_sha: sha,
    head_branch: text,
    name: text,
    display_title: text,
    path: text,
    workflow_id: optionalId,
    run_number: optionalNumber,
    run_attempt: optionalNumber,
    head_commit: v.nullish(v.object({ message: text, author: v.nullish(v.object({ name: text })) })),
  }),
  workflow: v.nullish(v.object({ name: text })),
  repository: githubRepository,
});
const MAX_ATTEMPTS = 10_000;
type RunEnd = v.InferOutput<typeof endBody>;

interface RunnerOfWorkflows {
  readonly title: string;
  readonly hostKind: string;
}

/** Events whose runs test the pushed commit, or the one that a merge queue is to push. */
const commitEvents = ['push', 'workflow_dispatch', 'merge_group'];

/** Returns whether runs triggered by this event test the commit, as opposed to runs for an issue or a schedule. */
export function isAboutTheCommit(event: string): boolean {
  return commitEvents.includes(event);
}

/**
 * Returns the build result of the event `workflow_run`. Runs for a pull request are flagged, and so are
 * those of a fork, whose branch can also be called `main`. Runs for an issue, a schedule or another workflow contain
 * the latest commit of the default branch without having tested it: neutral. Throws `deploy:provider:not_supported`.
 */
export function readWorkflowRun(
  body: unknown,
  { title, hostKind, id }: RunnerOfWorkflows & { readonly id: string | null },
): WithoutProvider<BuildResult> {
  const event = readBody(runBody, body, `a workflow run of ${title}`);
  const { workflow_run: run, workflow, repository } = event;
  return buildResult({
    hostKind,
    id,
    repository,
    sha: run.head_sha,
    branch: branchNamed(run.head_branch),
    check: {
      name: run.name ?? workflow?.name ?? workflowFile(run.path ?? ''),
      usual: title,
      id: run.workflow_id ?? (workflowPath(run.path ?? '') || null),
      run: placeOf(run),
    },
    verdict: verdictOf(event),
    ...headOf(event),
    message: run.head_commit?.message ?? run.display_title,
    author: run.head_commit?.author?.name,
  });
}

/** Returns how a run ended, from the fields that say so; null when they are missing. */
export const workflowRunVerdict = verdictReader(endBody, verdictOf);

function verdictOf(event: RunEnd): BuildVerdict {
  const { action, workflow_run: run } = event;
  const state = isTimed(run.event) ? TIMED_STATE : (oneLine(run.conclusion || run.status || action, 40) ?? action);
  return { outcome: outcomeOf(run, action), state, pullRequest: isPullRequest(event) };
}

/** Returns the path of a workflow. That of Gitea ends with the ref of the run: `test.yml@refs/heads/main`. */
function workflowPath(path: string): string {
  return path.slice(0, 500).split('@', 1)[0] ?? '';
}

function workflowFile(path: string): string {
  return workflowPath(path).split('/').at(-1) ?? '';
}

/** Returns a number that grows with each run of a workflow, and with each attempt of a run; null without either. */
function placeOf({
  run_number: run,
  run_attempt: attempt,
}: v.InferOutput<typeof runBody>['workflow_run']): number | null {
  return (run ?? attempt ?? null) === null ? null : (run ?? 0) * MAX_ATTEMPTS + (attempt ?? 0);
}

function outcomeOf({ event, conclusion }: RunEnd['workflow_run'], action: string): CheckOutcome {
  if (!isAboutTheCommit(event)) return 'neutral';
  return action === 'completed' ? outcomeOfConclusion(conclusion) : 'pending';
}

/** Hosts show the runs of a pull request at its head commit, though they test its merge with the base. */
function headOf(event: v.InferOutput<typeof runBody>): Pick<BuildResult, 'head'> {
  const { action, workflow_run: run } = event;
  if (!['pull_request', 'pull_request_sync'].includes(run.event) || isFork(event)) return {};
  const outcome = action === 'completed' ? outcomeOfConclusion(run.conclusion) : 'pending';
  return { head: { sha: run.head_sha, outcome } };
}

function isPullRequest(end: RunEnd): boolean {
  const { event } = end.workflow_run;
  return event.startsWith('pull_request') || isFork(end);
}

function isFork({ workflow_run: { head_repository }, repository }: RunEnd): boolean {
  const head = head_repository?.full_name;
  const base = repository && `${repository.owner}/${repository.name}`;
  return typeof head === 'string' && base !== null && head.toLowerCase() !== base.toLowerCase();
}

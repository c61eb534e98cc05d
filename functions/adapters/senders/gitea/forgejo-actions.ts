import * as v from 'valibot';
import { parseJson } from '../../../core/json.ts';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { BuildResult, CheckOutcome } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { buildResult } from '../fields/build.ts';
import { branchNamed, branchOf, sha } from '../fields/git.ts';
import { githubRepository } from '../fields/github-push.ts';
import { factsId, readBody, text } from '../fields/read.ts';
import { isTimed, TIMED_STATE, verdictReader } from '../fields/verdict.ts';
import { isAboutTheCommit } from '../fields/workflow-run.ts';
import { forgejoSignature, giteaSetup } from './webhook.ts';

const endFields = v.object({
  status: v.string(),
  event: text,
  trigger_event: text,
  is_fork_pull_request: v.nullish(v.boolean()),
  prettyref: text,
});
const runBody = v.object({
  run: v.object({
    ...endFields.entries,
    id: v.pipe(v.number(), v.safeInteger()),
    title: text,
    repository: githubRepository,
    workflow_id: text,
    commit_sha: sha,
    event_payload: text,
    stopped: text,
  }),
});
type Run = v.InferOutput<typeof runBody>['run'];
type RunEnd = v.InferOutput<typeof endFields>;

// The event that triggered the run, as a JSON string. It contains more about the commit than the run does.
const causeBody = v.object({
  ref: v.fallback(v.nullable(v.string()), null),
  head_commit: v.fallback(v.nullable(v.object({ message: text, author: v.nullish(v.object({ name: text })) })), null),
});
type Cause = v.InferOutput<typeof causeBody>;

/** A longer event, such as a push of thousands of commits, is not parsed; the fields of the run are used instead. */
const MAX_CAUSE_LENGTH = 1_000_000;
const pendingWords = ['waiting', 'running', 'blocked', 'unknown'];

/**
 * Forgejo Actions: the events `action_run_success`, `action_run_failure` and `action_run_recover`
 * (https://forgejo.org/docs/latest/user/webhooks, defined as ActionPayload and ActionRun in
 * https://codeberg.org/forgejo/forgejo/src/branch/forgejo/modules/structs). They are sent when a run has ended.
 */
export const forgejoActions = defineSender({
  id: 'forgejo-actions',
  name: 'Forgejo Actions',
  sends: 'builds',
  webhook: 'forgejo',
  header: 'X-Forgejo-Event',
  events: ['action_run_success', 'action_run_failure', 'action_run_recover'],
  signature: forgejoSignature,
  setup: giteaSetup(
    'Custom events: Push; of the Actions run events Success, Failure and Recover',
    'Forgejo calls only when a run ends: of several workflows, the first that passes releases the push.',
  ),
  read: ({ headers, body }: HookCall) => {
    const { run } = readBody(runBody, body, 'a run of Forgejo Actions');
    return [buildOf(run, headers['x-forgejo-event'] ?? '')];
  },
  verdict: verdictReader(v.object({ run: endFields }), ({ run }, { headers }) =>
    verdictOf(run, headers['x-forgejo-event'] ?? ''),
  ),
});

function buildOf(run: Run, event: string): WithoutProvider<BuildResult> {
  const cause = causeOf(run.event_payload ?? '');
  const { repository } = run;
  return buildResult({
    hostKind: 'gitea',
    id: runId(run),
    repository,
    sha: run.commit_sha,
    branch: cause?.ref?.startsWith('refs/') ? branchNamed(branchOf(cause.ref)) : branchNamed(run.prettyref),
    check: { name: run.workflow_id, usual: 'Forgejo Actions', run: run.stopped },
    verdict: verdictOf(run, event),
    ...(triggerOf(run) === 'pull_request' &&
      !run.is_fork_pull_request && { head: { sha: run.commit_sha, outcome: endOf(run, event) } }),
    message: cause?.head_commit?.message ?? run.title,
    author: cause?.head_commit?.author?.name,
  });
}

/**
 * Returns the id of a result. Forgejo reports a recovered run in two calls with different ids: that is one result. A
 * run that is started again has another end time.
 */
function runId({ repository, id, status, stopped }: Run): string {
  return factsId('run', [repository.hostname, repository.owner, repository.name, id, status, stopped ?? null]);
}

function causeOf(payload: string): Cause | null {
  if (payload.length > MAX_CAUSE_LENGTH) return null;
  const parsed = parseJson(payload);
  const cause = parsed.ok ? v.safeParse(causeBody, parsed.value) : null;
  return cause?.success ? cause.output : null;
}

function verdictOf(run: RunEnd, event: string): BuildVerdict {
  const state = isTimed(triggerOf(run)) ? TIMED_STATE : (oneLine(run.status, 40) ?? 'no status');
  return { outcome: outcomeOf(run, event), state, pullRequest: isPullRequest(run) };
}

function outcomeOf(run: RunEnd, event: string): CheckOutcome {
  return isAboutTheCommit(triggerOf(run)) ? endOf(run, event) : 'neutral';
}

function endOf(run: RunEnd, event: string): CheckOutcome {
  if (run.status === 'skipped') return 'neutral';
  if (pendingWords.includes(run.status)) return 'pending';
  return run.status === 'success' && event !== 'action_run_failure' ? 'passed' : 'failed';
}

function isPullRequest(run: RunEnd): boolean {
  if (run.is_fork_pull_request === true || triggerOf(run).startsWith('pull_request')) return true;
  // For a pull request, `prettyref` is its number.
  return run.prettyref?.startsWith('#') ?? false;
}

/** Returns the event that triggered the workflow; older payloads have only `event`. */
function triggerOf({ trigger_event, event }: RunEnd): string {
  return trigger_event || event || '';
}

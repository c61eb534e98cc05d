import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { Delivery, Notice } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { buildResult } from '../fields/build.ts';
import { branchNamed, sha } from '../fields/git.ts';
import { githubRepository } from '../fields/github-push.ts';
import { deliveryId, readBody, text } from '../fields/read.ts';
import { outcomeOfConclusion, verdictReader } from '../fields/verdict.ts';
import { githubCiSetup, githubHolds, githubSignature } from './webhook.ts';

const suiteBody = v.object({
  action: v.string(),
  check_suite: v.object({
    head_sha: sha,
    head_branch: text,
    conclusion: text,
    updated_at: text,
    app: v.nullish(v.object({ slug: text, name: text })),
    latest_check_runs_count: v.nullish(v.number()),
    head_commit: v.nullish(v.object({ message: text, author: v.nullish(v.object({ name: text })) })),
  }),
  repository: githubRepository,
});
type Body = v.InferOutput<typeof suiteBody>;

const runBody = v.object({ repository: v.fallback(v.nullable(githubRepository), null) });

/**
 * GitHub's checks: the event `check_suite` (https://docs.github.com/webhooks/webhook-events-and-payloads#check_suite).
 * A suite of a fork has no branch, so it never deploys. `check_run` is only part of a suite and becomes a notice.
 */
export const githubChecks = defineSender({
  id: 'github-checks',
  name: 'GitHub checks',
  sends: 'builds',
  webhook: 'github',
  header: 'X-GitHub-Event',
  events: ['check_suite', 'check_run'],
  signature: githubSignature,
  holds: githubHolds,
  setup: (values) => githubCiSetup(values, 'Check suites'),
  read: (call) => [read(call)],
  verdict: verdictReader(v.object({ check_suite: v.object({ conclusion: text }) }), ({ check_suite }) =>
    verdictOf(check_suite.conclusion),
  ),
});

function read({ headers, body }: HookCall): WithoutProvider<Delivery> {
  const id = deliveryId(headers['x-github-delivery']);
  if (headers['x-github-event'] === 'check_run') {
    const { repository } = readBody(runBody, body, 'a check run of GitHub');
    const reason = 'A check run is one part of a suite; the service waits for the event check_suite.';
    return { kind: 'notice', id, repository, reason };
  }
  const suite = readBody(suiteBody, body, 'a check suite of GitHub');
  const reason = reasonAgainst(suite);
  return reason === null ? buildOf(suite, id) : noticeOf(suite, id, reason);
}

/** Returns why a suite is only a notice; null when it is a build result. */
function reasonAgainst({ action, check_suite: suite }: Body): string | null {
  if (action !== 'completed') return 'The check suite has not completed.';
  // GitHub creates a suite for every push and every app that may write checks; an unused suite never finishes.
  if (suite.latest_check_runs_count === 0) return 'The check suite holds no check runs: its app has checked nothing.';
  if (suite.app?.slug !== 'github-actions') return null;
  // The suite has neither the event of the run nor its repository: a fork's run could not be told apart.
  return 'The check suite is of GitHub Actions, which is understood by the event workflow_run; send that one.';
}

function noticeOf({ repository }: Body, id: string | null, reason: string): WithoutProvider<Notice> {
  return { kind: 'notice', id, repository, reason };
}

function buildOf({ check_suite: suite, repository }: Body, id: string | null): WithoutProvider<Delivery> {
  return buildResult({
    hostKind: 'github',
    id,
    repository,
    sha: suite.head_sha,
    branch: branchNamed(suite.head_branch),
    check: {
      name: suite.app?.name ?? suite.app?.slug,
      usual: 'GitHub checks',
      id: suite.app?.slug,
      run: suite.updated_at,
    },
    verdict: verdictOf(suite.conclusion),
    message: suite.head_commit?.message,
    author: suite.head_commit?.author?.name,
  });
}

/** `pull_requests` lists the open ones of the same branch; the suite itself is for the branch. */
function verdictOf(conclusion: string | null | undefined): BuildVerdict {
  const state = oneLine(conclusion ?? '', 40) ?? 'no conclusion';
  return { outcome: outcomeOfConclusion(conclusion), state, pullRequest: false };
}

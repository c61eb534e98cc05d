import { trackOf } from '../core/entry/track.ts';
import type { CheckResult } from '../core/hold/checks.ts';
import { buildDeployable, deployable } from '../core/payload/branch.ts';
import type { BuildResult, Delivery, PullRequest } from '../core/payload/delivery.ts';
import type { ExpectedCi } from '../core/ports/facts.ts';
import type { CommitResult } from '../core/ports/log.ts';
import { withVisibleMarks } from '../core/text.ts';
import type { HookOptions } from './hook-options.ts';

/** Whether a delivery deploys; `reason` says why not. */
export interface HookDecision {
  readonly deploys: boolean;
  readonly reason: string | null;
  /** The result that the delivery reports for its commit. */
  readonly checkResult: CheckResult | null;
}

/** Returns whether a delivery deploys, and its check result; `branch` is the deployed branch. */
export function decisionOf(delivery: Delivery, branch: string): HookDecision {
  if (delivery.kind === 'notice') return { deploys: false, reason: delivery.reason, checkResult: null };
  if (delivery.kind === 'pull') return { ...previewDecision(delivery), checkResult: null };
  const decision = delivery.kind === 'push' ? deployable(delivery, branch) : buildDeployable(delivery, branch);
  const reason = decision.deploy ? null : withVisibleMarks(decision.reason);
  return { deploys: decision.deploy, reason, checkResult: checkResultOf(delivery, branch) };
}

/** A pull request that was closed is queued too: its preview is removed in the order of its commits. */
function previewDecision({ number, draft, closed }: PullRequest): Omit<HookDecision, 'checkResult'> {
  if (closed || !draft) return { deploys: true, reason: null };
  const reason = `The pull request #${number} is a draft; it is previewed when it is ready for review.`;
  return { deploys: false, reason };
}

/** Returns null for builds of pull requests and of other branches, which say nothing about a commit of this branch. */
function checkResultOf(delivery: Delivery, branch: string): CheckResult | null {
  if (delivery.kind !== 'build' || delivery.pullRequest || delivery.branch !== branch) return null;
  return resultOf(delivery);
}

function resultOf({ provider, check, checkId, run, outcome, state }: BuildResult): CheckResult {
  return {
    provider,
    check,
    outcome,
    state,
    ...(checkId !== undefined && { id: checkId }),
    ...(run !== undefined && { run }),
  };
}

/**
 * Returns what a build says of its commit for previews of that commit, whatever its branch. A pull request and its branch are built as two checks of one name: both must pass, as at the hosts.
 */
export function commitResultOf(build: BuildResult): CommitResult {
  const { sha, outcome } = build.head ?? build;
  const result = { ...resultOf(build), sha, outcome };
  if (!build.pullRequest) return result;
  const ofPull = (name: string) => `${name} (pull request)`;
  return { ...result, check: ofPull(result.check), ...(result.id !== undefined && { id: ofPull(result.id) }) };
}

type HookTarget = Pick<HookOptions, 'branch' | 'path' | 'environment'>;

/** How long a CI provider that has called is expected to call again. Some repositories get no push for weeks. */
const EXPECTED_FOR_DAYS = 90;

/**
 * Returns whether a delivery shows that its CI provider reports on the commits of a branch; null when it shows nothing.
 * Results of pull requests, of merge queues, of other branches and of neutral runs do not count: a push would wait for them until its time-out.
 */
export function expectedCi(delivery: Delivery, hook: HookTarget, now: number): ExpectedCi | null {
  const { provider } = delivery;
  const track = trackOf(hook);
  const until = now + EXPECTED_FOR_DAYS * 24 * 60 * 60_000;
  if (delivery.kind === 'push' || delivery.kind === 'pull') return null;
  if (delivery.kind === 'notice') {
    return delivery.bringsCi === undefined ? null : { track, provider, until: delivery.bringsCi ? until : null };
  }
  const { branch, pullRequest, mergeQueue, outcome } = delivery;
  const isOfBranch = !pullRequest && !mergeQueue && branch === hook.branch && outcome !== 'neutral';
  return isOfBranch ? { track, provider, until } : null;
}

import type { CheckResult } from '../core/hold/checks.ts';
import { buildDeployable, deployable } from '../core/payload/branch.ts';
import type { Delivery } from '../core/payload/delivery.ts';
import { withVisibleMarks } from '../core/text.ts';

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
  const decision = delivery.kind === 'push' ? deployable(delivery, branch) : buildDeployable(delivery, branch);
  const reason = decision.deploy ? null : withVisibleMarks(decision.reason);
  return { deploys: decision.deploy, reason, checkResult: checkResultOf(delivery, branch) };
}

/** Returns null for builds of pull requests and of other branches, which say nothing about a commit of this branch. */
function checkResultOf(delivery: Delivery, branch: string): CheckResult | null {
  if (delivery.kind !== 'build' || delivery.pullRequest || delivery.branch !== branch) return null;
  const { provider, check, outcome, state } = delivery;
  return { provider, check, outcome, state };
}

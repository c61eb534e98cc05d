import type { CheckResult } from '../core/hold/checks.ts';
import { buildDeployable, deployable } from '../core/payload/branch.ts';
import type { Delivery } from '../core/payload/delivery.ts';

/** What a delivery asks for: a deploy, or nothing and why. */
export interface Intention {
  readonly deploys: boolean;
  readonly reason: string | null;
  /** What a check says of the commit. */
  readonly outcome: CheckResult | null;
}

/** What a delivery asks for, when `branch` is the one to deploy. */
export function intentionOf(delivery: Delivery, branch: string): Intention {
  if (delivery.kind === 'notice') return { deploys: false, reason: delivery.reason, outcome: null };
  const decision = delivery.kind === 'push' ? deployable(delivery, branch) : buildDeployable(delivery, branch);
  const reason = decision.deploy ? null : decision.reason;
  return { deploys: decision.deploy, reason, outcome: outcomeOf(delivery, branch) };
}

/** Builds of pull requests and of other branches say nothing about a commit of this branch. */
function outcomeOf(delivery: Delivery, branch: string): CheckResult | null {
  if (delivery.kind !== 'build' || delivery.pullRequest || delivery.branch !== branch) return null;
  const { provider, check, outcome, state } = delivery;
  return { provider, check, outcome, state };
}

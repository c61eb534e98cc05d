import { buildDeployable, deployable } from '../core/branch.ts';
import type { Delivery } from '../core/delivery.ts';
import type { BuildOutcome } from '../core/ports/deploy-log.ts';

/** What a delivery asks for: a deploy, or nothing and why. */
export interface Intention {
  readonly deploys: boolean;
  readonly reason: string | null;
  /** What a CI provider has settled about the commit. */
  readonly outcome: BuildOutcome | null;
}

/** What a delivery asks for, when `branch` is the one to deploy. */
export function intentionOf(delivery: Delivery, branch: string): Intention {
  if (delivery.kind === 'notice') return { deploys: false, reason: delivery.reason, outcome: null };
  const decision = delivery.kind === 'push' ? deployable(delivery, branch) : buildDeployable(delivery, branch);
  const reason = decision.deploy ? null : decision.reason;
  return { deploys: decision.deploy, reason, outcome: outcomeOf(delivery, branch) };
}

/** Builds of pull requests and of other branches say nothing about a commit of this branch. */
function outcomeOf(delivery: Delivery, branch: string): BuildOutcome | null {
  if (delivery.kind !== 'build' || delivery.pending || delivery.pullRequest || delivery.branch !== branch) return null;
  return { passed: delivery.passed, provider: delivery.provider, state: delivery.state };
}

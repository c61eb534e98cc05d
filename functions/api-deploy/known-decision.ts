import { ciVerdictOf, withResult } from '../core/hold/checks.ts';
import type { Delivery, RepositoryRef } from '../core/payload/delivery.ts';
import { decisionOf, type HookDecision } from './decision.ts';
import type { DeliveryPorts } from './ports.ts';

export interface DecisionTarget {
  readonly user: string;
  /** The configured name of the repository host. */
  readonly host: string | null;
  readonly branch: string;
  /** The branch with the environment and the folder of the application. */
  readonly track: string;
}

/**
 * Returns the decision on a build that says nothing of its commit: it deploys it when nothing else has been waited for;
 * null when it does not. What is held is released without it (`notifyHeldDeploy`).
 */
export async function decisionOnNeutral(
  delivery: Delivery,
  { user, host, track, branch }: DecisionTarget,
  { facts }: DeliveryPorts,
): Promise<HookDecision | null> {
  if (delivery.kind !== 'build' || delivery.outcome !== 'neutral' || host === null) return null;
  const passed = decisionOf({ ...delivery, outcome: 'passed' }, branch);
  if (!passed.deploys) return null;
  const { owner, name } = delivery.repository;
  const commit = { host, owner, name, sha: delivery.sha };
  const { checks, held, deploying } = await facts.commitState(user, commit, track);
  const { checkResult } = decisionOf(delivery, branch);
  const waitedForIt =
    checkResult !== null && ciVerdictOf(checks).says === 'pending' && held === null && deploying === null;
  if (!waitedForIt || ciVerdictOf(withResult(checks, checkResult)).says !== 'passed') return null;
  return { ...passed, checkResult };
}

/**
 * Returns the decision on a call that may only say that the title of a pull request has changed; null when its commit is
 * another one than that of the call before, or it is that call again.
 */
export async function decisionOnRepeat(
  delivery: Delivery,
  { user, host, track }: DecisionTarget,
  ports: DeliveryPorts,
): Promise<HookDecision | null> {
  if (delivery.kind !== 'pull' || !delivery.mayRepeat || host === null) return null;
  const { owner, name } = delivery.repository;
  const last = await newestPush(user, { host, owner, name }, track, ports);
  if (!last?.sha?.startsWith(delivery.sha) || last.delivery === delivery.id) return null;
  const reason = `The pull request #${delivery.number} has no new commit: its commit is that of #${last.number}.`;
  return { deploys: false, reason, checkResult: null };
}

/** Returns the entry of the newest push of a track; null for none. */
export async function newestPush(
  user: string,
  repository: RepositoryRef,
  track: string,
  { facts, log }: DeliveryPorts,
) {
  const { newest } = await facts.branch(user, repository, track);
  return newest === 0 ? null : log.read(user, newest);
}

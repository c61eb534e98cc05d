import type { Delivery } from '../core/payload/delivery.ts';
import type { ExpectedCi } from '../core/ports/deploy-facts.ts';

/** How long a CI provider that has called is expected to call again. Some repositories get no push for weeks. */
const EXPECTED_FOR_DAYS = 90;

/**
 * Returns whether a delivery shows that its CI provider reports on the commits of a branch; null when it shows nothing.
 * Results of pull requests, of other branches and of neutral runs do not count: a push would wait for them in vain.
 */
export function expectedCi(delivery: Delivery, branch: string, now: number): ExpectedCi | null {
  const { provider } = delivery;
  const until = now + EXPECTED_FOR_DAYS * 24 * 60 * 60_000;
  if (delivery.kind === 'push') return null;
  if (delivery.kind === 'notice') {
    return delivery.bringsCi === undefined ? null : { branch, provider, until: delivery.bringsCi ? until : null };
  }
  const isOfBranch = !delivery.pullRequest && delivery.branch === branch && delivery.outcome !== 'neutral';
  return isOfBranch ? { branch, provider, until } : null;
}

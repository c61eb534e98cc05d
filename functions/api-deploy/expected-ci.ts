import type { Delivery } from '../core/payload/delivery.ts';
import type { ExpectedCi } from '../core/ports/deploy-facts.ts';

/** How long a CI provider that has called is expected to call again: some repositories see no push for weeks. */
const EXPECTED_FOR_DAYS = 90;

/**
 * What a delivery tells about who will call about the commits of a branch. Results of pull requests, of other branches
 * and of runs that test nothing promise nothing: a push that waited for more of them would wait in vain.
 */
export function expectedCi(delivery: Delivery, branch: string, now: number): ExpectedCi | null {
  const { provider } = delivery;
  const until = now + EXPECTED_FOR_DAYS * 24 * 60 * 60_000;
  if (delivery.kind === 'push') return null;
  if (delivery.kind === 'notice') {
    return delivery.bringsCi === undefined ? null : { branch, provider, until: delivery.bringsCi ? until : null };
  }
  const tells = !delivery.pullRequest && delivery.branch === branch && delivery.outcome !== 'neutral';
  return tells ? { branch, provider, until } : null;
}

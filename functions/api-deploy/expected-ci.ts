import { trackOf } from '../core/entry/track.ts';
import type { Delivery } from '../core/payload/delivery.ts';
import type { ExpectedCi } from '../core/ports/deploy-facts.ts';
import type { HookOptions } from './hook-options.ts';

/** The branch and folder that a hook deploys. */
type HookTarget = Pick<HookOptions, 'branch' | 'path'>;

/** How long a CI provider that has called is expected to call again. Some repositories get no push for weeks. */
const EXPECTED_FOR_DAYS = 90;

/**
 * Returns whether a delivery shows that its CI provider reports on the commits of a branch; null when it shows nothing.
 * Results of pull requests, of other branches and of neutral runs do not count: a push would wait for them in vain.
 */
export function expectedCi(delivery: Delivery, hook: HookTarget, now: number): ExpectedCi | null {
  const { provider } = delivery;
  const track = trackOf(hook);
  const until = now + EXPECTED_FOR_DAYS * 24 * 60 * 60_000;
  if (delivery.kind === 'push') return null;
  if (delivery.kind === 'notice') {
    return delivery.bringsCi === undefined ? null : { track, provider, until: delivery.bringsCi ? until : null };
  }
  const isOfBranch = !delivery.pullRequest && delivery.branch === hook.branch && delivery.outcome !== 'neutral';
  return isOfBranch ? { track, provider, until } : null;
}

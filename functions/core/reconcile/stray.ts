import { type Entry, isAlive, isFinal, MANUAL } from '../entry/entry.ts';
import { checksTrackOf, trackOf } from '../entry/folder.ts';
import { appOf } from '../entry/snapshot.ts';
import { ciVerdictOf } from '../hold/checks.ts';
import { isCommitId } from '../payload/delivery.ts';
import type { AppFacts, BranchFacts, TrackedApp } from '../ports/facts.ts';
import { isBuildResult, type KnownPorts, MAX_ENTRIES } from './compare.ts';

/** What the host says may be older than a deploy. */
const SETTLED_AFTER_MS = 60_000;

type Tracked = Pick<TrackedApp, 'user' | 'owner' | 'branch'>;

/** A branch or a pull request, and the commit that its host says it is at, or the first digits of that. */
interface Compared {
  readonly tracked: Tracked;
  readonly tip: string;
  readonly facts: BranchFacts;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Returns the entry that is live in place of a tip which the log knows, when nothing that the log knows is against the
 * tip: calls were lost, or came late. Null after a person's deploy or operation, and when the tip's own deploy has failed,
 * was cancelled or is under way, or CI or its message decided against it.
 */
export async function strayOf(
  { tracked, tip, facts, at }: Compared,
  ports: KnownPorts & { readonly appFacts: Pick<AppFacts, 'overruledUntil'> },
): Promise<Entry | null> {
  const { activeDeploy } = facts;
  if (!activeDeploy || activeDeploy.sha.startsWith(tip)) return null;
  const live = await ports.log.read(tracked.user, activeDeploy.number);
  if (!live?.appName || !isAlive(live.status) || live.provider === MANUAL) return null;
  if (at - live.receivedAt < SETTLED_AFTER_MS) return null;
  const overruler = await ports.appFacts.overruledUntil(live.user, appOf(live).app);
  return overruler > live.number || (await isDecided(tip, live, { tracked, facts }, ports)) ? null : live;
}

async function isDecided(tip: string, { ci }: Entry, of: Pick<Compared, 'tracked' | 'facts'>, ports: KnownPorts) {
  const { user, owner, branch } = of.tracked;
  const { facts } = of;
  const track = { ...owner, branch };
  const known = isCommitId(tip) ? [tip] : await ports.facts.commits(user, owner, trackOf(track), tip);
  for (const sha of known) {
    const [{ skip }, { checks }] = await Promise.all([
      ports.facts.commitState(user, { ...owner, sha }, trackOf(track)),
      ports.facts.commitState(user, { ...owner, sha }, checksTrackOf(track)),
    ]);
    const heedsCi = ci === undefined || ci.waits;
    if (skip !== null || (heedsCi && ciVerdictOf(checks).says === 'failed')) return true;
  }
  const { entries } = await ports.reader.page({ user, app: facts.app, skip: 0, limit: MAX_ENTRIES });
  const newest = await ports.log.read(user, facts.newest);
  const last = [newest, ...entries].find((entry) => entry?.sha?.startsWith(tip) && !isBuildResult(entry));
  return last ? !isFinal(last.status) || last.status === 'error' || last.status === 'cancelled' : false;
}

import { type Entry, isAlive, isFinal, MANUAL } from '../entry/entry.ts';
import { ignoresCi } from '../entry/kinds.ts';
import { appOf } from '../entry/snapshot.ts';
import { checksTrackOf, trackOf } from '../entry/track.ts';
import { ciVerdictOf } from '../hold/checks.ts';
import { isCommitId } from '../payload/delivery.ts';
import type { AppFacts, BranchFacts, TrackedApp } from '../ports/facts.ts';
import { isBuildResult, type KnownPorts, MAX_ENTRIES } from './known-commit.ts';

/** What the host says may be older than a deploy. */
const SETTLED_AFTER_MS = 60_000;

type Tracked = Pick<TrackedApp, 'user' | 'owner' | 'branch'>;

/** A branch or a pull request, and the commit that its host says it is at, or the first digits of that. */
interface Compared {
  readonly tracked: Tracked;
  readonly tip: string;
  readonly facts: BranchFacts;
  /** Whether the commit of an entry is an ancestor of the tip; never for a pull request, whose head alone is deployed. */
  readonly isOnBranch: (entry: Entry) => Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly at: number;
}

type StrayPorts = KnownPorts & { readonly appFacts: Pick<AppFacts, 'overruledUntil'> };

/**
 * Returns the entry that is live in place of a tip which the log knows, when nothing that the log knows is against the
 * tip: its commit is not on the branch any more, or was deployed after the tip or in its place, to which the branch has been
 * moved since. Calls were lost, or came late. Null after a person's deploy or operation, and when the tip's own deploy has
 * failed, was cancelled or is under way, or CI or its message decided against it.
 */
export async function strayOf(
  { tracked, tip, facts, isOnBranch, at }: Compared,
  ports: StrayPorts,
): Promise<Entry | null> {
  const { activeDeploy } = facts;
  if (!activeDeploy || activeDeploy.sha.startsWith(tip)) return null;
  const live = await ports.log.read(tracked.user, activeDeploy.number);
  if (!live?.appName || !isAlive(live.status) || live.provider === MANUAL) return null;
  if (at - live.receivedAt < SETTLED_AFTER_MS) return null;
  const overruler = await ports.appFacts.overruledUntil(live.user, appOf(live).app);
  if (overruler > live.number || (await isRefused(tip, live, tracked, ports))) return null;
  const last = await lastOf(tip, tracked.user, facts, ports);
  if (last && isDecided(last)) return null;
  const gaveWay = last !== null && last.number < live.number && (isAlive(last.status) || last.status === 'superseded');
  return gaveWay || !(await isOnBranch(live)) ? live : null;
}

/** Whether the message of the tip, or its CI where what is live heeds that, is against it. */
async function isRefused(tip: string, live: Entry, { user, owner, branch }: Tracked, { facts }: KnownPorts) {
  const of = { ...owner, branch };
  for (const sha of isCommitId(tip) ? [tip] : await facts.commits(user, owner, trackOf(of), tip)) {
    const commit = { ...owner, sha };
    const [{ skip }, { checks }] = await Promise.all([
      facts.commitState(user, commit, trackOf(of)),
      facts.commitState(user, commit, checksTrackOf(of)),
    ]);
    if (skip !== null || (!ignoresCi(live) && ciVerdictOf(checks).says === 'failed')) return true;
  }
  return false;
}

/** The last entry of the tip that is not the result of a build. */
async function lastOf(tip: string, user: string, facts: BranchFacts, { log, reader }: KnownPorts) {
  const newest = await log.read(user, facts.newest);
  const { entries } = await reader.page({ user, app: facts.app, skip: 0, limit: MAX_ENTRIES });
  return [newest, ...entries].find((entry) => entry?.sha?.startsWith(tip) && !isBuildResult(entry)) ?? null;
}

/** Whether it is under way, has failed, or its user has ended it. */
function isDecided({ status }: Entry): boolean {
  return !isFinal(status) || status === 'error' || status === 'cancelled';
}

import { type Entry, isAlive, isFinal } from '../entry/entry.ts';
import { hookChoice } from '../entry/kinds.ts';
import { appName } from '../entry/package-name.ts';
import { MANUAL } from '../entry/providers.ts';
import { appOf } from '../entry/snapshot.ts';
import { checksTrackOf, trackOf } from '../entry/track.ts';
import { ciVerdictOf } from '../hold/checks.ts';
import { isCommitId } from '../payload/delivery.ts';
import { overrulerOf } from '../pipeline/overruled.ts';
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
 * Returns the last entry of a tip which the log knows, if its host was away until that ended. Else the entry that is live in
 * its place, when nothing that the log knows is against the tip: what is live is not on the branch any more, or was deployed
 * after the tip or in its place, to which the branch has been moved since. Calls were lost, or came late. Null after a
 * person's deploy or operation, and when the tip's own deploy has failed, was cancelled or is under way, or CI or its message
 * decided against it.
 */
export async function strayOf(
  { tracked, tip, facts, isOnBranch, at }: Compared,
  ports: StrayPorts,
): Promise<Entry | null> {
  const { activeDeploy } = facts;
  const isLive = activeDeploy?.sha.startsWith(tip) === true;
  const last = isLive
    ? await ports.log.read(tracked.user, activeDeploy.number)
    : await lastOf(tip, tracked.user, facts, ports);
  if (last && isMissed(last) && last.number >= (activeDeploy?.number ?? 0)) return unlessOverruled(last, facts, ports);
  if (!activeDeploy || isLive) return null;
  const live = await ports.log.read(tracked.user, activeDeploy.number);
  if (!live?.appName || !isAlive(live.status) || live.provider === MANUAL) return null;
  if (at - live.receivedAt < SETTLED_AFTER_MS) return null;
  if ((await overrulerOf(appOf(live), live.number, ports)) || (await isRefused(tip, live, tracked, ports))) return null;
  if (last && isDecided(last)) return null;
  const gaveWay = last !== null && (last.number < live.number ? givesWay(last) : wasGone(last, at));
  return gaveWay || !(await isOnBranch(live)) ? live : null;
}

/** Returns an entry; null when a person has rolled back or stopped its application since. */
async function unlessOverruled(entry: Entry, { app }: BranchFacts, ports: StrayPorts): Promise<Entry | null> {
  const { user, number } = entry;
  return app !== null && (await overrulerOf({ user, app: appName(app) }, number, ports)) ? null : entry;
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
    if (skip !== null || (hookChoice(live.ci)?.waits !== false && ciVerdictOf(checks).says === 'failed')) return true;
  }
  return false;
}

/**
 * The last entry of the tip that is not the result of a build. A push that came after its commit had been deployed is
 * skipped, and leaves the decision to that deploy.
 */
async function lastOf(tip: string, user: string, facts: BranchFacts, { log, reader }: KnownPorts) {
  const newest = await log.read(user, facts.newest);
  const { entries } =
    facts.app === null ? { entries: [] } : await reader.page({ user, app: facts.app, skip: 0, limit: MAX_ENTRIES });
  const own = [newest, ...entries].flatMap((entry) =>
    entry?.sha?.startsWith(tip) && !isBuildResult(entry) ? [entry] : [],
  );
  const [last = null] = own;
  const isLatePush = last?.kind === 'push' && last.status === 'skipped';
  return (isLatePush && own.find(({ status }) => isAlive(status))) || last;
}

/** Whether it is under way, has failed, or its user has ended it. */
function isDecided(entry: Entry): boolean {
  const { status } = entry;
  return !isFinal(status) || (status === 'error' && !isMissed(entry)) || status === 'cancelled';
}

/** Whether it was not on its branch when it was decided: its call came late, and the branch has come back to it since. */
function wasGone({ status, receivedAt }: Entry, at: number): boolean {
  return status === 'superseded' && at - receivedAt >= SETTLED_AFTER_MS;
}

function givesWay(entry: Entry): boolean {
  return isAlive(entry.status) || entry.status === 'superseded' || isMissed(entry);
}

/** Whether it has ended because its host was away, or did not know its commit. */
function isMissed({ status, hostAway }: Entry): boolean {
  return hostAway != null && (status === 'error' || status === 'superseded');
}

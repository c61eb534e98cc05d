import { type Entry, isFinal } from '../entry/entry.ts';
import { type CiChoice, closesPullRequest, hookChoice, type PullRequestOf } from '../entry/kinds.ts';
import { MANUAL, RECONCILED } from '../entry/providers.ts';
import { trackOf } from '../entry/track.ts';
import { unlessRefused } from '../errors.ts';
import { overrulerOf } from '../pipeline/overruled.ts';
import { queueStage } from '../pipeline/queue-stage.ts';
import type { AppFacts, BranchFacts, TrackedApp } from '../ports/facts.ts';
import type { DeployLog } from '../ports/log.ts';
import type { Comparison, Host, HostToken } from '../ports/repository-host.ts';
import type { JobQueue } from '../ports/stages.ts';
import type { Trace } from '../ports/system.ts';
import { DAY_MS } from '../preview/preview.ts';
import { removalOf } from '../preview/removal.ts';
import { isKnown, type KnownPorts, MAX_ENTRIES } from './known-commit.ts';
import { appendMissed, type Finder } from './missed-commit.ts';
import { strayOf } from './stray.ts';

export interface ComparePorts extends KnownPorts {
  readonly log: Pick<DeployLog, 'append' | 'read'>;
  readonly appFacts: Pick<AppFacts, 'overruledUntil'>;
  readonly queue: Pick<JobQueue, 'send'>;
  readonly host: (name: string) => Pick<Host, 'tip' | 'compare' | 'pullRequestState'>;
  readonly token: (user: string, host: string) => Promise<HostToken>;
  /** Days after which a preview that nobody has touched is removed. */
  readonly previewDays: number;
  readonly trace: Trace;
}

/** The result of a comparison: the entry of a missed commit, or why there is none. */
interface Compared {
  /** The commit at the tip; null when there is no such branch. */
  readonly tip: string | null;
  readonly entry: Entry | null;
  /** One sentence. */
  readonly reason: string;
}

/**
 * Compares an application with the tip of its branch, and has a commit that no webhook has brought deployed, as its
 * push would have been; a preview is compared with its pull request (`comparePreview`). A commit that the log knows is
 * deployed again only in place of what must not be live (`strayOf`). Throws `deploy:repohost:no_pkg_json` as
 * `RepositoryHost.tip` does.
 */
export async function compareApp(app: TrackedApp, finder: Finder, ports: ComparePorts): Promise<Compared> {
  const { user, owner, branch } = app;
  if (owner.pullRequest) return comparePreview(app, owner.pullRequest, finder, ports);
  const tip = await ports.host(owner.host).tip(owner, branch, await ports.token(user, owner.host));
  const place = `${owner.owner}/${owner.name}`;
  if (!tip) return { tip: null, entry: null, reason: `${place} has no branch ${branch} any more.` };
  // Read after the tip: a push that arrives in between is known then.
  const facts = await ports.facts.branch(user, owner, trackOf({ ...owner, branch }));
  const noEntry = { tip: tip.sha, entry: null, reason: `The tip of ${branch} is known: nothing was missed.` };
  const isMissed = !(await isKnown(tip.sha, app, facts, ports));
  const of = { tracked: app, tip: tip.sha, facts, at: finder.at };
  const stray = isMissed
    ? null
    : await strayOf({ ...of, isOnBranch: (live) => isOnBranch(live, tip.sha, app, ports) }, ports);
  const again = stray?.number ?? null;
  if (!isMissed && again === null) return noEntry;
  const latest = await latestOf(user, facts, ports);
  if (!latest) return { ...noEntry, reason: `The log has no deploy of ${branch} to go by.` };
  const against = isMissed ? await overruled(app, facts, ports) : null;
  const hook = await hookOf(latest, app, facts, ports);
  const result = await ports.log.append(appendMissed({ app, tip, latest, hook, facts, against, again }, finder));
  if ('duplicateOf' in result) return noEntry;
  const { entry } = result;
  if (entry.status === 'queued') await queueStage(entry, ports);
  const missed = `No webhook brought ${tip.sha.slice(0, 10)}, the tip of ${branch}`;
  const explanation = isMissed
    ? `${missed}.`
    : `${missed} again: it is deployed ${stray?.hostAway ? 'after' : 'in place of'} #${again}.`;
  return { tip: tip.sha, entry, reason: entry.reason ?? explanation };
}

/** Whether the commit of an entry is an ancestor of the tip. False for a commit that is gone from the repository. */
async function isOnBranch(
  { sha }: Entry,
  tip: string,
  { user, owner }: TrackedApp,
  ports: ComparePorts,
): Promise<boolean> {
  const base = { ...owner, sha: sha ?? tip };
  const token = await ports.token(user, owner.host);
  return (await unlessRefused<Comparison | null>(ports.host(owner.host).compare(base, tip, token), null)) === 'ahead';
}

/** Returns the newest push of a branch, or else its last deploy. */
export async function latestOf(
  user: string,
  { newest, activeDeploy }: BranchFacts,
  { log }: Pick<ComparePorts, 'log'>,
): Promise<Entry | null> {
  const number = newest === 0 ? activeDeploy?.number : newest;
  return number === undefined ? null : log.read(user, number);
}

/**
 * Returns the choice of the hook for its pushes, which the newest one knows: neither a person's deploy nor that of a build
 * does.
 */
async function hookOf(
  latest: Entry,
  { user, owner, branch }: TrackedApp,
  { app }: BranchFacts,
  { reader }: ComparePorts,
): Promise<CiChoice | undefined> {
  const isCall = (entry: Entry) => entry.kind === 'push' && entry.provider !== MANUAL;
  if (isCall(latest) || app === null) return hookChoice(latest.ci);
  const track = trackOf({ ...owner, branch });
  const isOfTrack = (entry: Entry) => entry.branch !== null && trackOf({ ...entry, branch: entry.branch }) === track;
  const { entries } = await reader.page({ user, app, skip: 0, limit: MAX_ENTRIES });
  return hookChoice(entries.find((entry) => isCall(entry) && isOfTrack(entry))?.ci);
}

/**
 * Returns why a missed commit is not deployed after a rollback or a stop: it may have been pushed before that, which
 * must not be undone. Null when the tip was compared since then, or a newer commit deployed, because what is new now was
 * pushed later.
 */
async function overruled(
  { user, app, comparedAt }: TrackedApp,
  { activeDeploy }: BranchFacts,
  ports: ComparePorts,
): Promise<string | null> {
  const operation = await overrulerOf({ user, app }, activeDeploy?.number ?? 0, ports);
  if (!operation || operation.receivedAt < comparedAt) return null;
  const done = operation.operation === 'stop' ? 'stopped' : 'rolled back';
  return (
    `No webhook brought this commit, and ${app} was ${done} since the tip was looked at last, perhaps because of it. ` +
    `To deploy it, POST /1/apps/${user}/${app}/deploy (hooks deploy).`
  );
}

/** The result for a preview: the entry of its removal, or why there is none. */
interface ComparedPreview extends Compared {
  readonly isOpen: boolean;
}

/**
 * Removes a preview whose pull request was closed without a call that said so, or that nobody has touched for long.
 * Throws as `PullRequests.pullRequestState` does.
 */
export async function comparePreview(
  preview: TrackedApp,
  pullRequest: Pick<PullRequestOf, 'number'>,
  { uuid, at }: Finder,
  ports: ComparePorts,
): Promise<ComparedPreview> {
  const { user, app, owner, branch } = preview;
  const token = await ports.token(user, owner.host);
  const { isOpen } = await ports.host(owner.host).pullRequestState(owner, pullRequest.number, token);
  const { newest, activeDeploy } = await ports.facts.branch(user, owner, trackOf({ ...owner, branch }));
  const touched = await ports.log.read(user, Math.max(newest, activeDeploy?.number ?? 0));
  const isOld = touched !== null && at - touched.receivedAt > ports.previewDays * DAY_MS;
  const nothing = { tip: null, entry: null, isOpen };
  const source = `pull request #${pullRequest.number}`;
  if (isOpen && !isOld) return { ...nothing, reason: `The ${source} is open.` };
  const last = await ports.appFacts.overruledUntil(user, app);
  const overruler = last === 0 ? null : await ports.log.read(user, last);
  if (isBeingRemoved(touched, overruler, at)) return { ...nothing, reason: 'The preview is being removed.' };
  const because = isOpen
    ? `Nobody has pushed to the ${source} for ${ports.previewDays} days.`
    : `The ${source} was closed, and no call said so.`;
  const once = [RECONCILED, 'remove', app, last].join('#');
  const removal = { preview, of: touched, because, closed: !isOpen, provider: RECONCILED, uuid, at, once };
  const result = await ports.log.append(removalOf(removal));
  const entry = 'entry' in result ? result.entry : null;
  if (entry) await queueStage(entry, ports);
  return { tip: null, entry, reason: because, isOpen };
}

/** A removal that has failed is not repeated at once. */
const AGAIN_AFTER_MS = 30 * 60_000;

/** Whether a call has closed it, it is being removed, or was to be a short time ago and was not deployed since. */
function isBeingRemoved(newest: Entry | null, overruler: Entry | null, at: number): boolean {
  if (newest && closesPullRequest(newest) && !isFinal(newest.status)) return true;
  if (overruler?.operation !== 'remove') return false;
  const isNewest = overruler.number > (newest?.number ?? 0);
  return !isFinal(overruler.status) || (isNewest && at - overruler.receivedAt < AGAIN_AFTER_MS);
}

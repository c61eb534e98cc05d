import { type Entry, isAlive } from '../core/entry/entry.ts';
import { ignoresCi } from '../core/entry/kinds.ts';
import { MANUAL, RECONCILED } from '../core/entry/providers.ts';
import { trackOf } from '../core/entry/track.ts';
import { DeployError } from '../core/errors.ts';
import { UNKNOWN_MS } from '../core/pipeline/host-away.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import type { BranchFacts } from '../core/ports/facts.ts';
import type { Comparison } from '../core/ports/repository-host.ts';
import { type CommitEntry, ended, type Facts, type Tip } from './facts.ts';
import type { CheckPorts } from './ports.ts';

/** An answer of the host may be a little older than the call that it contradicts; what was announced it may lack longer. */
const TIP_KNOWN_AFTER_MS = 10_000;
const TIP_AGAIN_SECONDS = 5;

/**
 * Returns where the branch, or the head of the pull request, is. The host is asked unless no call is missing, late or
 * doubled: then the last one says that the entry's commit is the tip, or what has followed it in a burst of pushes. The
 * last call counts too when the host refuses to answer.
 */
export async function tipOf(
  { entry, state, verdict, track: trackOfEntry }: Pick<Facts, 'entry' | 'state' | 'verdict' | 'track'>,
  ports: CheckPorts,
): Promise<Tip> {
  const { sha, provider, kind, receivedAt } = entry;
  const track = await trackOfEntry();
  const { tip, isTipSure } = track;
  const isFresh = kind !== 'build' && verdict.says !== 'passed' && ports.clock.now() - receivedAt < TIP_KNOWN_AFTER_MS;
  const isTold = isTipSure && provider !== RECONCILED && !state.awaitsPush && (isSame(tip, sha) || (tip && isFresh));
  if (isTold && !(await mayBeFarther(entry, track, ports))) return { sha: tip, isProvisional: false };
  const told = tip ?? sha;
  try {
    return { sha: await tipAtHost(entry, told, ports), isProvisional: true };
  } catch (error) {
    if (!(error instanceof DeployError) || error.retry) throw error;
    // What the host does not know it may know soon; any other refusal stays one.
    return { sha: told, isProvisional: error.host === 'unknown' };
  }
}

/** Throws as `RepositoryHost.tip` does. `told` is the head of a pull request whose host does not say it. */
async function tipAtHost(entry: CommitEntry, told: string, ports: CheckPorts): Promise<string | null> {
  const { user, repository, branch } = entry;
  const host = ports.host(repository.host);
  const token = await ports.token(user, repository.host);
  if (entry.kind !== 'preview') return (await host.tip(repository, branch, token))?.sha ?? null;
  const { isOpen, head } = await host.pullRequestState(repository, entry.pullRequest.number, token);
  return isOpen ? (head ?? told) : null;
}

/**
 * Whether the push of what is deployed is late or lost, or a person has deployed it: then the branch may be farther than
 * its calls say. A call that opens a pull request may come again, or after those that have moved and closed it, of which
 * not all hosts say from where.
 */
async function mayBeFarther(entry: CommitEntry, track: BranchFacts, { facts, log }: CheckPorts): Promise<boolean> {
  const { activeDeploy } = track;
  if (entry.kind === 'preview' && entry.before === null) return true;
  if (!activeDeploy || [entry.sha, entry.before].includes(activeDeploy.sha)) return false;
  const commit = { ...entry.repository, sha: activeDeploy.sha };
  const { awaitsPush } = await facts.commitState(entry.user, commit, trackOf(entry));
  return awaitsPush || (await log.read(entry.user, activeDeploy.number))?.provider === MANUAL;
}

/** What is known of where a commit is: `told` is the commit that the last call says the branch is at. */
export interface Whereabouts {
  /** Where the host has it: at the tip, in the history of that, or not on the branch. */
  readonly host: 'tip' | 'history' | 'gone';
  readonly told: 'this' | 'tip' | 'another';
  /** Whether the commit was pushed onto the tip at the host, or in its place: perhaps the host is behind its calls. */
  readonly isAfterTip: boolean;
  /** Whether no call is missing, late or doubled. */
  readonly isComplete: boolean;
}

interface TipRow extends Partial<Whereabouts> {
  readonly title: string;
  readonly outcome: 'deploy' | 'superseded';
  /** The call that the host contradicts: it is asked again while that is fresh; longer for what the call has announced. */
  readonly unless?: 'newest' | 'own' | 'announced';
}

/** What follows from the answer of the host and the calls: the first row that fits decides. */
export const TIP_ROWS: readonly TipRow[] = [
  { title: 'the tip, as the last call says', host: 'tip', told: 'this', outcome: 'deploy' },
  { title: 'the tip, from which a newer call has moved the branch', host: 'tip', outcome: 'deploy', unless: 'newest' },
  {
    title: 'before a tip from which its own call has moved back',
    host: 'history',
    told: 'this',
    outcome: 'deploy',
    unless: 'own',
  },
  { title: 'before the tip of the last call', host: 'history', told: 'tip', outcome: 'deploy' },
  { title: 'before another tip than that of the last call', host: 'history', outcome: 'deploy', unless: 'own' },
  { title: 'gone, as the last of all calls says', host: 'gone', told: 'tip', isComplete: true, outcome: 'superseded' },
  { title: 'gone, as the last call says', host: 'gone', told: 'tip', outcome: 'superseded', unless: 'own' },
  {
    title: 'not there yet, at a host that has what was there before',
    host: 'gone',
    isAfterTip: true,
    outcome: 'superseded',
    unless: 'announced',
  },
  { title: 'gone, as no call says yet', host: 'gone', outcome: 'superseded', unless: 'own' },
];

/** Returns the row of the table that decides. */
export function tipRow(where: Whereabouts): TipRow {
  const fits = (row: TipRow) => {
    const { host, told, isComplete, isAfterTip } = { ...where, ...row };
    return (
      host === where.host && told === where.told && isComplete === where.isComplete && isAfterTip === where.isAfterTip
    );
  };
  const row = TIP_ROWS.find(fits);
  if (row) return row;
  throw new Error('The table has a row for every case.');
}

/**
 * A commit that is not on its branch now: neither the tip nor an ancestor of it, because a forced push has removed it, or
 * not the head of its open pull request. A person may deploy any commit.
 */
export async function notOnBranch(facts: Facts, { clock, log }: CheckPorts) {
  const { entry, track } = facts;
  if (entry.provider === MANUAL) return null;
  const { sha: now, isProvisional } = await facts.tip();
  const { tip: told, newest, isTipSure } = await track();
  const isTip = isSame(now, entry.sha);
  const ancestry = isTip || now === null || entry.kind === 'preview' ? null : await facts.ancestry();
  const { outcome, unless } = tipRow({
    host: isTip ? 'tip' : ancestry === 'ahead' ? 'history' : 'gone',
    isAfterTip: ancestry === 'behind' || (entry.kind !== 'build' && isSame(now, entry.before)),
    told: isSame(told, entry.sha) ? 'this' : isSame(told, now) ? 'tip' : 'another',
    isComplete: isTipSure,
  });
  if (isProvisional && unless) {
    const call = unless === 'newest' ? await log.read(entry.user, newest) : entry;
    const again = call && whileFresh(call, clock.now(), unless === 'announced' ? UNKNOWN_MS : TIP_KNOWN_AFTER_MS);
    if (again) return again;
  }
  return outcome === 'deploy' ? null : ended('superseded', whyNot(entry, now));
}

/** The host is asked again, more and more seldom, for as long as its answer may be older than the call that it contradicts. */
export function whileFresh(call: Entry, now: number, freshMs = TIP_KNOWN_AFTER_MS): StageOutcome | null {
  const age = now - call.receivedAt;
  return age < freshMs ? { kind: 'again', afterSeconds: Math.max(TIP_AGAIN_SECONDS, Math.ceil(age / 4000)) } : null;
}

/**
 * A commit that is older than what its branch deploys. The tip of the branch is deployed nevertheless: the branch was
 * moved back. Calls and build results come in any order, so a higher number is not always a newer commit.
 */
export async function superseded(facts: Facts, ports: CheckPorts): Promise<StageOutcome | null> {
  const { entry, track } = facts;
  const { activeDeploy, newest } = await track();
  const again = newest > entry.number ? await ports.log.read(entry.user, newest) : null;
  const isSameAgain = again && isSame(again.sha, entry.sha) && isAlive(again.status) && again.provider !== RECONCILED;
  // A released deploy does not give way to a deploy that may have to wait.
  if (isSameAgain && (ignoresCi(again) || !ignoresCi(entry))) {
    return ended('superseded', `The same commit was accepted once more before this one started: #${again.number}.`);
  }
  if (!activeDeploy || activeDeploy.sha === entry.sha) return null;
  const newer = (await isOlder(activeDeploy, facts, ports)) ? activeDeploy : await olderThanRunning(facts, ports);
  if (!newer) return null;
  const live = `${short(newer.sha)}, by #${newer.number}`;
  return ended('superseded', `The commit ${short(entry.sha)} is older than what ${entry.branch} deploys: ${live}.`);
}

type LiveDeploy = NonNullable<BranchFacts['activeDeploy']>;

/**
 * Returns what the application runs, if the commit is older than that: another one than was promoted last, which has not
 * been started yet, or was rolled back.
 */
async function olderThanRunning(facts: Facts, ports: CheckPorts): Promise<LiveDeploy | null> {
  const { entry, track, tip } = facts;
  const { activeDeploy, app } = await track();
  if (app === null || entry.provider === MANUAL || isSame((await tip()).sha, entry.sha)) return null;
  const number = await ports.appFacts.active(entry.user, app);
  const running = number === null || number === activeDeploy?.number ? null : await ports.log.read(entry.user, number);
  if (!running?.sha || running.sha === entry.sha) return null;
  const live = { number: running.number, sha: running.sha };
  return (await isOlder(live, facts, ports)) ? live : null;
}

async function isOlder(live: LiveDeploy, { entry, tip, ancestry }: Facts, ports: CheckPorts): Promise<boolean> {
  if (entry.provider === MANUAL) return live.number > entry.number;
  const { sha: now } = await tip();
  if (isSame(now, entry.sha)) return false;
  if (now === live.sha) return (await ancestry()) === 'ahead';
  if ((await comparison(entry, { base: live.sha, head: entry.sha }, ports)) !== 'behind') return false;
  // What a forced push has taken off the branch keeps nothing back.
  return now === null || (await comparison(entry, { base: live.sha, head: now }, ports)) === 'ahead';
}

/**
 * Returns the position of a commit relative to another one; null when the repository no longer has both. Throws when the
 * host may not have the entry's commit, or the one that a newer call has told of, yet.
 */
export async function comparison(
  entry: CommitEntry,
  { base, head }: { readonly base: string; readonly head: string },
  ports: CheckPorts,
): Promise<Comparison | null> {
  const { user, repository } = entry;
  const token = await ports.token(user, repository.host);
  const host = ports.host(repository.host);
  return host.compare({ ...repository, sha: base }, head, token).catch(async (error: unknown) => {
    if (!(error instanceof DeployError) || error.retry) throw error;
    if (error.host !== 'unknown' || base !== entry.sha) return null;
    if (ports.clock.now() - entry.receivedAt < UNKNOWN_MS) throw error;
    // The tip that the host has named itself is what it has not got yet.
    return host.compare({ ...repository, sha: head }, head, token).then(
      () => null,
      (cause: unknown) => {
        if (!(cause instanceof DeployError) || cause.host !== 'unknown') throw cause;
        throw new DeployError(error.code, error.detail, { retry: true, host: 'away', cause });
      },
    );
  });
}

function whyNot(entry: CommitEntry, tip: string | null): string {
  const { branch, repository } = entry;
  const commit = `the commit ${short(entry.sha)}`;
  if (entry.kind === 'preview') {
    const source = `pull request #${entry.pullRequest.number}`;
    if (tip === null) return `The ${source} was closed; ${commit} is not deployed.`;
    return `The head of the ${source} is ${short(tip)}; ${commit} is not deployed any more.`;
  }
  const { owner, name } = repository;
  if (tip === null) return `${owner}/${name} has no branch ${branch} any more; ${commit} is not deployed.`;
  return `${branch} does not have ${commit} any more: its tip is ${short(tip)}.`;
}

function short(sha: string): string {
  return sha.slice(0, 10);
}

/** Whether two are the same commit, of which a host may name only the first digits. */
function isSame(one: string | null, other: string | null): boolean {
  return one === other || (one !== null && other !== null && (one.startsWith(other) || other.startsWith(one)));
}

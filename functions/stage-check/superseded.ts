import { type Entry, isAlive } from '../core/entry/entry.ts';
import { sourceOf } from '../core/entry/folder.ts';
import { DeployError } from '../core/errors.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import type { Comparison } from '../core/ports/repository-host.ts';
import { ended, type Facts } from './facts.ts';
import type { CheckPorts } from './ports.ts';
import { wholeCommitOf } from './whole-commit.ts';

/**
 * A commit of whose branch a newer one takes precedence. Where CI decides, a newer push counts only when it has passed,
 * because it may never do so.
 *
 * Deliveries and build results can arrive in the wrong order, so a higher number is not always a newer commit. The
 * repository host is asked only where the pushes themselves do not say.
 */
export async function superseded(facts: Facts, ports: CheckPorts): Promise<StageOutcome | null> {
  if ((await facts.head()) === 'head') return null;
  const { entry, verdict, track } = facts;
  const { activeDeploy, newest } = await track();
  if (activeDeploy && activeDeploy.number < entry.number && (await isBehind(entry, activeDeploy.sha, ports))) {
    const live = activeDeploy.sha.slice(0, 10);
    return ended('superseded', `The commit is older than the one that ${entry.branch} deploys (${live}).`);
  }
  // The newest commit of a pull request is its preview, whatever CI says of it.
  const ciDecides = entry.fromBuild || (verdict.says === 'passed' && !entry.pullRequest);
  const later = [activeDeploy?.number ?? 0, ciDecides ? 0 : newest].filter((number) => number > entry.number);
  for (const number of new Set(later)) {
    const reason = await supersededByEntry(entry, number, ports);
    if (reason) return ended('superseded', reason);
  }
  return null;
}

async function supersededByEntry(entry: Entry, number: number, ports: CheckPorts): Promise<string | null> {
  const newer = await ports.log.read(entry.user, number);
  // The newest commit of a pull request counts while it is held, too: nobody wants to see an outdated one.
  const counts = newer && (isAlive(newer.status) || (entry.pullRequest && newer.status === 'held'));
  if (!counts || (await continues(entry, newer, ports))) return null;
  return `A newer commit of ${entry.branch} was accepted before this one started: #${newer.number}.`;
}

/** Whether a push that was accepted earlier nevertheless has the newer commit. */
async function continues(entry: Entry, later: Entry, ports: CheckPorts): Promise<boolean> {
  if (later.sha === null || later.sha === entry.sha || later.before === entry.sha) return false;
  if (entry.before === later.sha) return true;
  // After a forced push that moved the branch back, the older commit takes precedence.
  return !later.forced && (await compare(entry, later, ports)) === 'ahead';
}

/** A push that continues the deployed commit, or that moves the branch back by force, needs no comparison. */
async function isBehind(entry: Entry, deployedSha: string, ports: CheckPorts): Promise<boolean> {
  if (entry.forced || entry.sha === deployedSha || entry.before === deployedSha) return false;
  return (await compare(entry, { ...entry, sha: deployedSha }, ports)) === 'behind';
}

/** Compares the entry's commit with that of another one; null when the repository no longer has both. */
async function compare(entry: Entry, other: Entry, ports: CheckPorts): Promise<Comparison | null> {
  const commit = sourceOf(entry);
  if (!commit) return null;
  const token = await ports.token(entry.user, commit.host);
  try {
    const base = { ...commit, sha: await wholeCommitOf(other, ports) };
    return await ports.host(commit.host).compare(base, commit.sha, token);
  } catch (error) {
    if (error instanceof DeployError && !error.retry) return null;
    throw error;
  }
}

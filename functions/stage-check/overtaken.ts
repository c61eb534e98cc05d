import { type Entry, entryAddress, isAlive } from '../core/entry/entry.ts';
import { DeployError } from '../core/errors.ts';
import type { Comparison } from '../core/ports/repository-host.ts';
import type { CheckPorts } from './ports.ts';

/**
 * Why an entry must not be deployed any more: a newer commit of its branch goes first. Null when there is none.
 * Where CI decides (`ciDecides`), a newer push counts only when it has passed, because it may never do so.
 *
 * Deliveries and build results may come in the wrong order, so that a higher number is not always a newer commit; the
 * repository knows. It is asked only where the pushes themselves do not tell.
 */
export async function overtakenBy(entry: Entry, ciDecides: boolean, ports: CheckPorts): Promise<string | null> {
  if (!entry.repository || !entry.branch) return null;
  const { going, newest } = await ports.facts.branch(entry.user, entry.repository, entry.branch);
  if (going && going.number < entry.number && (await isBehind(entry, going.sha, ports))) {
    return `The commit is older than the one that ${entry.branch} deploys (${going.sha.slice(0, 10)}).`;
  }
  const later = [going?.number ?? 0, ciDecides ? 0 : newest].filter((number) => number > entry.number);
  for (const number of new Set(later)) {
    const reason = await overtakenByEntry(entry, number, ports);
    if (reason) return reason;
  }
  return null;
}

async function overtakenByEntry(entry: Entry, number: number, ports: CheckPorts): Promise<string | null> {
  const newer = await ports.log.read(entry.user, number);
  if (!newer || !isAlive(newer.status) || (await continues(entry, newer, ports))) return null;
  return `A newer commit of ${entry.branch} was accepted before this one started: ${entryAddress(entry.base, newer)}.`;
}

/** Whether a push that was accepted earlier holds the newer commit all the same. */
async function continues(entry: Entry, later: Entry, ports: CheckPorts): Promise<boolean> {
  if (later.sha === null || later.sha === entry.sha || later.before === entry.sha) return false;
  if (entry.before === later.sha) return true;
  // A branch that was moved back on purpose has an older commit that counts more.
  return !later.forced && (await compare(entry, later.sha, ports)) === 'ahead';
}

/** A push that continues where the branch stands, or that moves it back on purpose, needs no question. */
async function isBehind(entry: Entry, goingSha: string, ports: CheckPorts): Promise<boolean> {
  if (entry.forced || entry.sha === goingSha || entry.before === goingSha) return false;
  return (await compare(entry, goingSha, ports)) === 'behind';
}

/** How the entry's commit stands to another one; null when the repository does not hold both any more. */
async function compare({ user, repository, sha }: Entry, other: string, ports: CheckPorts): Promise<Comparison | null> {
  if (!repository || !sha) return null;
  const token = await ports.token(user, repository.host);
  const base = { host: repository.host, owner: repository.owner, name: repository.name, sha: other };
  try {
    return await ports.host(repository.host).compare(base, sha, token);
  } catch (error) {
    if (error instanceof DeployError && !error.retry) return null;
    throw error;
  }
}

import { type Entry, entryAddress, type Status } from '../core/entry.ts';
import { DeployError } from '../core/errors.ts';
import type { BranchFacts } from '../core/ports/deploy-log.ts';
import type { CheckPorts } from './check.ts';

const alive: readonly Status[] = ['queued', 'running', 'ok'];

/**
 * Why an entry must not be deployed any more: a newer commit of its branch goes first. Null when there is none.
 * Where CI decides (`ciDecides`), a newer push counts only when it has passed, because it may never do so.
 */
export async function overtakenBy(entry: Entry, ciDecides: boolean, ports: CheckPorts): Promise<string | null> {
  if (!entry.repository || !entry.branch) return null;
  const facts = await ports.facts.branch(entry.user, entry.repository, entry.branch);
  const newest = Math.max(facts.going?.number ?? 0, ciDecides ? 0 : facts.newest);
  if (newest > entry.number) return overtakenByEntry(entry, newest, ports);
  return (await isBehind(entry, facts, ports))
    ? `The commit is older than the one that ${entry.branch} deploys (${facts.going?.sha.slice(0, 10)}).`
    : null;
}

async function overtakenByEntry(entry: Entry, newest: number, { log }: CheckPorts): Promise<string | null> {
  const newer = await log.read(entry.user, newest);
  if (!newer || !alive.includes(newer.status)) return null;
  return `A newer commit of ${entry.branch} was accepted before this one started: ${entryAddress(entry.base, newer)}.`;
}

/**
 * Deliveries and build results may come in the wrong order; the repository knows the right one. A push that continues
 * where the branch stands, or that moves it back on purpose, needs no question.
 */
async function isBehind(entry: Entry, { going }: BranchFacts, ports: CheckPorts): Promise<boolean> {
  const { repository, sha, forced, before } = entry;
  if (!going || !repository || !sha || forced || going.sha === sha || going.sha === before) return false;
  const token = await ports.token(entry.user, repository.host);
  try {
    const base = { host: repository.host, owner: repository.owner, name: repository.name, sha: going.sha };
    return (await ports.host(repository.host).compare(base, sha, token)) === 'behind';
  } catch (error) {
    // The commit deployed before may be gone from the repository; then there is nothing to compare with.
    if (error instanceof DeployError && !error.retry) return false;
    throw error;
  }
}

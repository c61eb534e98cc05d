import { type Entry, isAlive } from '../core/entry/entry.ts';
import { trackOf } from '../core/entry/track.ts';
import type { DeployFacts } from '../core/ports/deploy-facts.ts';
import type { LogReader } from '../core/ports/log-reader.ts';

/** The ports of finding the entry that speaks for a commit. */
interface SpeakerPorts {
  readonly log: Pick<LogReader, 'read'>;
  readonly facts: Pick<DeployFacts, 'commitState'>;
}

/**
 * Returns the entry whose status its commit has: the given one, unless another one deploys the same commit that has
 * changed since, or that made it needless. So a message that comes late does not replace a newer status, and a commit
 * that is live is not marked as failed because a second entry for it was superseded.
 */
export async function speakerFor(entry: Entry, { log, facts }: SpeakerPorts): Promise<Entry> {
  const { user, repository, sha, branch, path, appName } = entry;
  if (!repository || !sha || !branch || appName === null) return entry;
  const { deploying } = await facts.commitState(user, { ...repository, sha }, trackOf({ branch, path }));
  if (deploying === null || deploying === entry.number) return entry;
  const other = await log.read(user, deploying);
  if (other?.appName !== appName) return entry;
  return other.seq > entry.seq || (isNeedless(entry) && isAlive(other.status)) ? other : entry;
}

function isNeedless({ status }: Entry): boolean {
  return ['superseded', 'cancelled', 'skipped', 'expired'].includes(status);
}

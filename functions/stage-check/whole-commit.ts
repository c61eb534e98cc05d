import { type Entry, isFinal } from '../core/entry/entry.ts';
import { sourceOf } from '../core/entry/folder.ts';
import { isCommitId } from '../core/payload/delivery.ts';
import { SWEEP_AFTER_MS, timeoutMs } from '../core/pipeline/pipeline.ts';
import type { CommitEntry } from './facts.ts';
import type { CheckPorts } from './ports.ts';

/**
 * Returns an entry with the whole id of its commit, of which Bitbucket sends 12 digits for a pull request. The log has
 * it from then on, so that what is known of the commit is found by it, and the host is asked once. Throws as
 * `RepositoryHost.wholeCommit` does.
 */
export async function withWholeCommit(entry: CommitEntry, ports: CheckPorts): Promise<CommitEntry> {
  const { user, number, sha } = entry;
  if (isCommitId(sha)) return entry;
  const whole = await wholeCommitOf(entry, ports);
  const now = ports.clock.now();
  const dueAt = now + timeoutMs('check') + SWEEP_AFTER_MS;
  await ports.log.move(user, number, (current) =>
    isFinal(current.status) ? null : { changes: { sha: whole, updatedAt: now }, keepsLease: true, dueAt },
  );
  return { ...entry, sha: whole };
}

/** Returns the whole id of an entry's commit. Throws as `RepositoryHost.wholeCommit` does. */
export async function wholeCommitOf(entry: Entry, { host, token }: CheckPorts): Promise<string> {
  const source = sourceOf(entry);
  if (!source) throw new Error('Only an entry with a commit is compared.');
  if (isCommitId(source.sha)) return source.sha;
  return host(source.host).wholeCommit(source, source.sha, await token(entry.user, source.host));
}

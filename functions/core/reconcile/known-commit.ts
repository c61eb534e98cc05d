import type { Entry } from '../entry/entry.ts';
import { trackOf } from '../entry/track.ts';
import { isCommitId } from '../payload/delivery.ts';
import type { BranchFacts, CommitFacts, TrackedApp } from '../ports/facts.ts';
import type { DeployLog, LogReader } from '../ports/log.ts';

export interface KnownPorts {
  readonly facts: Pick<CommitFacts, 'branch' | 'commitState' | 'commits'>;
  readonly log: Pick<DeployLog, 'read'>;
  readonly reader: Pick<LogReader, 'page'>;
}

/** Entries of the application that are looked through, newest first, when nothing cheaper knows the commit. */
export const MAX_ENTRIES = 100;

/**
 * Returns whether the log knows a commit of an application's branch, whatever became of it. `sha` may be its first
 * digits, where the host lists no more, and so may what the log has until the stage `check`. Nearly always the facts of
 * the branch say so; the application's entries are read only for a commit that was probably missed.
 */
export async function isKnown(
  sha: string,
  { user, owner, branch }: Pick<TrackedApp, 'user' | 'owner' | 'branch'>,
  facts: BranchFacts,
  ports: KnownPorts,
): Promise<boolean> {
  const isIt = (known: string | null | undefined) => known?.startsWith(sha) === true;
  if (isIt(facts.tip) || isIt(facts.activeDeploy?.sha)) return true;
  const newest = facts.newest === 0 ? null : await ports.log.read(user, facts.newest);
  if (isIt(newest?.sha)) return true;
  const track = trackOf({ ...owner, branch });
  for (const whole of isCommitId(sha) ? [sha] : await ports.facts.commits(user, owner, track, sha)) {
    const { held, deploying } = await ports.facts.commitState(user, { ...owner, sha: whole }, track);
    if (held !== null || deploying !== null) return true;
  }
  if (!facts.app) return false;
  const { entries } = await ports.reader.page({ user, app: facts.app, skip: 0, limit: MAX_ENTRIES });
  return entries.some((entry) => isIt(entry.sha) && !isBuildResult(entry));
}

/** The result of a build is no deploy of its commit: the push that it belongs to may have been missed. */
export function isBuildResult({ kind, status }: Entry): boolean {
  return kind === 'build' && status === 'skipped';
}

import type { Entry } from '../entry/entry.ts';
import { trackOf } from '../entry/folder.ts';
import type { BranchFacts, DeployFacts, TrackedApp } from '../ports/facts.ts';
import type { DeployLog, LogReader } from '../ports/log.ts';

export interface KnownPorts {
  readonly facts: Pick<DeployFacts, 'branch' | 'commitState'>;
  readonly log: Pick<DeployLog, 'read'>;
  readonly reader: Pick<LogReader, 'page'>;
}

/** Entries of the application that are looked through, newest first, when nothing cheaper knows the commit. */
const MAX_ENTRIES = 100;

/**
 * Returns whether the log knows a commit of an application's branch, whatever became of it. Nearly always the facts of
 * the branch say so; the application's entries are read only for a commit that was probably missed.
 */
export async function isKnown(
  sha: string,
  { user, owner, branch }: TrackedApp,
  facts: BranchFacts,
  ports: KnownPorts,
): Promise<boolean> {
  if (facts.tip === sha || facts.activeDeploy?.sha === sha) return true;
  const newest = facts.newest === 0 ? null : await ports.log.read(user, facts.newest);
  if (newest?.sha === sha) return true;
  const track = trackOf({ branch, path: owner.path });
  const { held, deploying } = await ports.facts.commitState(user, { ...owner, sha }, track);
  if (held !== null || deploying !== null) return true;
  if (!facts.app) return false;
  const { entries } = await ports.reader.page({ user, app: facts.app, skip: 0, limit: MAX_ENTRIES });
  return entries.some((entry) => entry.sha === sha && !isBuildResult(entry));
}

/** The result of a build is no deploy of its commit: the push that it belongs to may have been missed. */
function isBuildResult({ fromBuild, status }: Entry): boolean {
  return fromBuild && status === 'skipped';
}

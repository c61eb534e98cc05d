import type { BuildResult, RepositoryRef } from '../core/payload/delivery.ts';
import type { AcceptPorts } from './ports.ts';

/** Where a build was accepted. */
interface Place {
  readonly user: string;
  /** The configured name of the repository host. */
  readonly host: string | null;
  readonly branch: string;
}

/**
 * A build whose sender gives only the first digits of its commit, with the commit that they are of: one that CI or a hold
 * has made known on the deployed branch, or the newest that was pushed to it. As it is when there is none, or several.
 */
export async function withWholeCommit(build: BuildResult, place: Place, ports: AcceptPorts): Promise<BuildResult> {
  const { user, host, branch } = place;
  const { sha, shaPrefix, pullRequest } = build;
  if (sha !== null || shaPrefix === null || host === null || pullRequest || build.branch !== branch) return build;
  const repository = { host, owner: build.repository.owner, name: build.repository.name };
  const known = await ports.facts.commits(user, repository, branch, shaPrefix);
  const newest = known.length === 0 ? await newestCommit(user, repository, branch, ports) : null;
  const found = newest?.startsWith(shaPrefix) ? [newest] : known;
  return found.length === 1 && found[0] ? { ...build, sha: found[0] } : build;
}

async function newestCommit(user: string, repository: RepositoryRef, branch: string, { facts, log }: AcceptPorts) {
  const { newest } = await facts.branch(user, repository, branch);
  return newest === 0 ? null : ((await log.read(user, newest))?.sha ?? null);
}

import type { BuildResult, RepositoryRef } from '../core/payload/delivery.ts';
import type { AcceptPorts } from './ports.ts';

/** The commit and branch of a build. */
interface BuildTarget {
  readonly user: string;
  /** The configured name of the repository host. */
  readonly host: string | null;
  readonly branch: string;
  /** The branch with the folder of the application. */
  readonly track: string;
}

/**
 * Returns a build with its whole commit, when its sender only sends the first digits. The commit is one with a known
 * state on the deployed branch, or else the newest push to it. The build is unchanged when none or several match.
 */
export async function withWholeCommit(
  build: BuildResult,
  target: BuildTarget,
  ports: AcceptPorts,
): Promise<BuildResult> {
  const { user, host, branch, track } = target;
  const { sha, shaPrefix, pullRequest } = build;
  if (sha !== null || shaPrefix === null || host === null || pullRequest || build.branch !== branch) return build;
  const repository = { host, owner: build.repository.owner, name: build.repository.name };
  const known = await ports.facts.commits(user, repository, track, shaPrefix);
  const newest = known.length === 0 ? await newestCommit(user, repository, track, ports) : null;
  const found = newest?.startsWith(shaPrefix) ? [newest] : known;
  return found.length === 1 && found[0] ? { ...build, sha: found[0] } : build;
}

async function newestCommit(user: string, repository: RepositoryRef, track: string, { facts, log }: AcceptPorts) {
  const { newest } = await facts.branch(user, repository, track);
  return newest === 0 ? null : ((await log.read(user, newest))?.sha ?? null);
}

import { type AppOwner, isSameOwner, ownerKey, ownerOf } from '../core/entry/app-owner.ts';
import { appName } from '../core/entry/package-name.ts';
import { trackOf } from '../core/entry/track.ts';
import { unlessRefused } from '../core/errors.ts';
import { withResult } from '../core/hold/checks.ts';
import type { RepositoryRef } from '../core/payload/delivery.ts';
import type { BranchFacts, CommitState, DeployFacts } from '../core/ports/facts.ts';
import type { HostedRepository } from '../core/ports/repository-host.ts';
import type { CommitEntry } from './facts.ts';
import type { CheckPorts } from './ports.ts';

/** An entry whose repository has its id, if one is known, and ports whose facts are also those under its former name. */
interface Known {
  readonly entry: CommitEntry;
  readonly ports: CheckPorts;
}

/**
 * Returns an entry with the id of its repository, which not every sender has: that of the newest push or, before anything
 * was deployed under its name, what the host says. By the id a repository is found that was renamed since; those of this
 * service have none, and keep their names. Throws as `RepositoryHost.repository` does, if that can succeed later.
 */
export async function withFormerName(sent: CommitEntry, ports: CheckPorts): Promise<Known> {
  const { user, repository } = sent;
  if (repository.host === ports.ownHost?.name) return { entry: sent, ports };
  const { activeDeploy, newest, app } = await ports.facts.branch(user, repository, trackOf(sent));
  const isDeployed = activeDeploy !== null;
  const id = repository.id ?? (await idOf(sent, { newest, isDeployed }, ports));
  if (id === undefined) return { entry: sent, ports };
  const entry = { ...sent, repository: { ...repository, id } };
  const other = isDeployed ? await newerName(entry, app, ports) : await formerName(entry, ports);
  return { entry, ports: other ? { ...ports, facts: withFactsOf(other, ports.facts) } : ports };
}

/** Returns the name under which a repository has deployed its application since, when a call has its former one; null for none. */
async function newerName(entry: CommitEntry, app: string | null, { facts }: CheckPorts): Promise<AppOwner | null> {
  const of = ownerOf(entry);
  const claim = app === null ? null : await facts.appOwner(entry.user, appName(app));
  const isNewer = of && claim && isSameOwner(of, claim) && ownerKey(of) !== ownerKey(claim);
  return isNewer ? claim : null;
}

async function idOf(
  { user, repository }: CommitEntry,
  { newest, isDeployed }: { readonly newest: number; readonly isDeployed: boolean },
  { log, host, token }: CheckPorts,
): Promise<string | undefined> {
  const last = newest === 0 ? null : await log.read(user, newest);
  if (last?.repository?.id !== undefined || isDeployed) return last?.repository?.id;
  const asked = host(repository.host).repository(repository, await token(user, repository.host));
  return (await unlessRefused<Partial<HostedRepository>>(asked, {})).id;
}

/** Returns the name under which a repository has deployed an application, when that is another one now; null for none. */
async function formerName(entry: CommitEntry, ports: CheckPorts): Promise<AppOwner | null> {
  const entryOwner = ownerOf(entry);
  if (!entryOwner) return null;
  const owned = await ports.facts.owned(entry.user, entryOwner);
  return owned.find(({ owner }) => ownerKey(owner) !== ownerKey(entryOwner))?.owner ?? null;
}

/** Returns facts that include those of a repository's other name. */
function withFactsOf({ host, owner, name }: RepositoryRef, facts: DeployFacts): DeployFacts {
  return {
    ...facts,
    branch: async (user, repository, track) => {
      const [now, before] = await Promise.all([
        facts.branch(user, repository, track),
        facts.branch(user, { host, owner, name }, track),
      ]);
      return branchOf(now, before);
    },
    commitState: async (user, commit, track) => {
      const [now, before] = await Promise.all([
        facts.commitState(user, commit, track),
        facts.commitState(user, { host, owner, name, sha: commit.sha }, track),
      ]);
      return stateOf(now, before);
    },
  };
}

/** No call says how the branch came from one name to the other, so the host is asked. */
function branchOf(now: BranchFacts, before: BranchFacts): BranchFacts {
  const isLater = (now.activeDeploy?.number ?? 0) > (before.activeDeploy?.number ?? 0);
  const { activeDeploy, app } = isLater ? now : before;
  const newest = Math.max(now.newest, before.newest);
  return {
    newest,
    activeDeploy,
    app,
    tip: now.tip ?? before.tip,
    isTipSure: false,
    ci: { ...before.ci, ...now.ci },
  };
}

/** The version is that of the name that transitions write to. */
function stateOf(now: CommitState, before: CommitState): CommitState {
  const { version } = now;
  const held = now.held ?? before.held;
  const [deploying, { awaitsPush }] = now.deploying === null ? [before.deploying, before] : [now.deploying, now];
  const checks = now.checks.reduce(withResult, before.checks);
  return { checks, version, held, deploying, awaitsPush, skip: now.skip ?? before.skip };
}

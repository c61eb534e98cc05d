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
 * Returns an entry with the id of its repository, which not every sender has: that of the newest push or of the owner of
 * the application or, before anything was deployed under its name, what the host says. By the id a repository is found
 * that was renamed since; those of this service have none, and keep their names. Throws as `RepositoryHost.repository`
 * does, if that can succeed later.
 */
export async function withFormerName(sent: CommitEntry, ports: CheckPorts): Promise<Known> {
  const { user, repository } = sent;
  if (repository.host === ports.ownHost?.name) return { entry: sent, ports };
  const branch = await ports.facts.branch(user, repository, trackOf(sent));
  const { activeDeploy, app } = branch;
  const claim = activeDeploy === null || app === null ? null : await ports.facts.appOwner(user, appName(app));
  const id = repository.id ?? (await idOf(sent, { ...branch, claim }, ports));
  if (id === undefined) return { entry: sent, ports };
  const entry = { ...sent, repository: { ...repository, id } };
  if (activeDeploy === null) return { entry, ports: withFactsOf(await formerName(entry, ports), ports, WHOLE) };
  const of = ownerOf(entry);
  const isNewer = of && claim && isSameOwner(of, claim) && ownerKey(of) !== ownerKey(claim);
  if (isNewer) return { entry, ports: withFactsOf(claim, ports, WHOLE) };
  const isOurs = branch.otherName && (await isOf(entry, branch.otherName, ports));
  return { entry, ports: isOurs ? withFactsOf(branch.otherName, ports, RESULTS) : ports };
}

async function idOf(
  sent: CommitEntry,
  { newest, activeDeploy, claim }: BranchFacts & { readonly claim: AppOwner | null },
  { log, host, token }: CheckPorts,
): Promise<string | undefined> {
  const { user, repository } = sent;
  const last = newest === 0 ? null : await log.read(user, newest);
  if (last?.repository?.id !== undefined) return last.repository.id;
  const of = ownerOf(sent);
  if (activeDeploy !== null) return of && claim && ownerKey(of) === ownerKey(claim) ? claim.id : undefined;
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

/** Whether no push of another repository, which has got the name since, has come. */
async function isOf(entry: CommitEntry, name: RepositoryRef, { facts, log }: CheckPorts): Promise<boolean> {
  const { newest } = await facts.branch(entry.user, name, trackOf(entry));
  const last = newest === 0 ? null : await log.read(entry.user, newest);
  return last?.repository?.id === undefined || last.repository.id === entry.repository.id;
}

/** What is known under both names of a repository, made of what is under each. */
interface Merge {
  readonly branch: (now: BranchFacts, before: BranchFacts) => BranchFacts;
  readonly state: (now: CommitState, before: CommitState) => CommitState;
}

/** Of two names that both may deploy. */
const WHOLE: Merge = { branch: branchOf, state: stateOf };

/** Of a former name that only CI has told of commits. */
const RESULTS: Merge = {
  branch: (now, before) => ({ ...now, ci: { ...before.ci, ...now.ci } }),
  state: (now, before) => ({ ...now, checks: checksOf(now, before), skip: now.skip ?? before.skip }),
};

/** Returns ports whose facts include those of a repository's other name, if it has one. */
function withFactsOf(other: RepositoryRef | null, ports: CheckPorts, merge: Merge): CheckPorts {
  if (!other) return ports;
  const { facts } = ports;
  const otherName = { host: other.host, owner: other.owner, name: other.name };
  const withOther: DeployFacts = {
    ...facts,
    branch: async (user, repository, track) => {
      const [now, before] = await Promise.all([
        facts.branch(user, repository, track),
        facts.branch(user, otherName, track),
      ]);
      return { ...merge.branch(now, before), otherName };
    },
    commitState: async (user, commit, track) => {
      const [now, before] = await Promise.all([
        facts.commitState(user, commit, track),
        facts.commitState(user, { ...otherName, sha: commit.sha }, track),
      ]);
      return merge.state(now, before);
    },
  };
  return { ...ports, facts: withOther };
}

/** No call says how the branch came from one name to the other, so the host is asked. */
function branchOf(now: BranchFacts, before: BranchFacts): BranchFacts {
  const isLater = (now.activeDeploy?.number ?? 0) > (before.activeDeploy?.number ?? 0);
  const { activeDeploy, app } = isLater ? now : before;
  const newest = Math.max(now.newest, before.newest);
  return {
    ...now,
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
  const checks = checksOf(now, before);
  return { checks, version, held, deploying, awaitsPush, skip: now.skip ?? before.skip };
}

function checksOf(now: CommitState, before: CommitState): CommitState['checks'] {
  return now.checks.reduce(withResult, before.checks);
}

import { type AppOwner, ownerKey } from '../core/entry/app-owner.ts';
import type { BuildResult, RepositoryRef } from '../core/payload/delivery.ts';
import { type DecisionTarget, newestPush } from './known-decision.ts';
import type { DeliveryPorts } from './ports.ts';

type BuildTarget = DecisionTarget & Pick<AppOwner, 'path' | 'environment'>;

/** A build by the name of its repository under which it counts. */
interface Named {
  readonly delivery: BuildResult;
  /** The other name, where its repository has two. */
  readonly otherName?: RepositoryRef;
}

/**
 * Returns a build with the name under which it counts, if its repository was renamed. A former name that CI without
 * an id goes on to send gives way to that of the application. Any other stays, except for what is held under that of the
 * application: it is told of the result, but for a pass of the branch, which deploys only where all that CI has said is
 * known.
 */
export async function withKnownName(build: BuildResult, target: BuildTarget, ports: DeliveryPorts): Promise<Named> {
  const { user, host, branch, track, path, environment } = target;
  if (host === null) return { delivery: build };
  const sent = { host, owner: build.repository.owner, name: build.repository.name };
  const id = build.repository.id ?? (await newestPush(user, sent, track, ports))?.repository?.id;
  const isSent = (owner: AppOwner) => ownerKey(owner) === ownerKey({ ...sent, path, environment });
  const owners = id === undefined ? [] : await ports.facts.owned(user, { ...sent, id, path, environment });
  const [known] = owners;
  if (!known || owners.some(({ owner }) => isSent(owner))) return { delivery: build };
  const other = { host, owner: known.owner.owner, name: known.owner.name };
  const { sha } = build.head ?? build;
  const holds = async (name: RepositoryRef) => (await ports.facts.holds(user, name, sha)).length > 0;
  const isFormer =
    build.repository.id === undefined && (await ports.facts.branch(user, sent, track)).activeDeploy !== null;
  const passesBranch = build.branch === branch && !build.pullRequest && build.outcome === 'passed';
  const counts = isFormer ? !(await holds(sent)) : !passesBranch && (await holds(other));
  return counts
    ? { delivery: { ...build, repository: { ...build.repository, ...other } }, otherName: sent }
    : { delivery: build, otherName: other };
}

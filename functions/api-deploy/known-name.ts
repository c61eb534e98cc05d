import { type AppOwner, ownerKey } from '../core/entry/app-owner.ts';
import type { BuildResult } from '../core/payload/delivery.ts';
import type { DecisionTarget } from './known-decision.ts';
import type { DeliveryPorts } from './ports.ts';

type BuildTarget = DecisionTarget & Pick<AppOwner, 'path' | 'environment'>;

/**
 * Returns a build with the name under which its repository is known. A repository that was renamed keeps its former name
 * here until a push comes with the new one: what CI says of it, which comes first, belongs to the pushes and the holds of
 * that name.
 */
export async function withKnownName(
  build: BuildResult,
  { user, host, branch, track, path, environment }: BuildTarget,
  { facts }: DeliveryPorts,
): Promise<BuildResult> {
  const { owner, name, id } = build.repository;
  if (host === null || id === undefined) return build;
  const sent: AppOwner = { host, owner, name, id, path, environment };
  const owners = (await facts.owned(user, sent)).map((owned) => owned.owner);
  const [known] = owners;
  if (!known || owners.some((one) => ownerKey(one) === ownerKey(sent))) return build;
  const former = { host, owner: known.owner, name: known.name };
  const { sha } = build.head ?? build;
  const isOfBranch = build.branch === branch && !build.pullRequest;
  const isFormer = isOfBranch
    ? (await facts.branch(user, sent, track)).newest === 0
    : (await facts.holds(user, former, sha)).length > 0;
  return isFormer ? { ...build, repository: { ...build.repository, ...former } } : build;
}

import { DeployError } from '../core/errors.ts';
import { reasonAgainst } from '../core/payload/branch.ts';
import { ANY_HOST_KIND, type DeliveredRepository, type Delivery } from '../core/payload/delivery.ts';
import type { AcceptPorts, DeliveryPorts } from './ports.ts';

interface HookTarget {
  readonly user: string;
  readonly branch: string;
  readonly track: string;
}

type HostPorts = Pick<DeliveryPorts, 'hostName' | 'hostNames'> & {
  readonly facts: Pick<DeliveryPorts['facts'], 'branch'>;
};

/**
 * Returns the configured name of the host that a delivery's repository is at. A delivery that deploys nothing may be
 * from any host, so that its sender does not see an error: null. Throws `deploy:provider:not_supported` for another one
 * whose host is not configured, or cannot be determined.
 */
export async function hostOf(delivery: Delivery, target: HookTarget, ports: HostPorts): Promise<string | null> {
  const { repository } = delivery;
  if (!repository) return null;
  const host = await hostIn(delivery, target, ports);
  if (host !== null || !mayDeploy(delivery, target.branch)) return host;
  const detail = isAnonymous(delivery) ? ambiguous(ports) : unknown(repository, kindOf(delivery));
  throw new DeployError('deploy:provider:not_supported', detail);
}

/** Whether a delivery is about a repository of the host in this process, for which no secrets of other hosts are meant. */
export function isOwn(delivery: Delivery, ports: Pick<AcceptPorts, 'hostName' | 'ownHost'>): boolean {
  return ports.ownHost !== undefined && namedHost(delivery, ports) === ports.ownHost.name;
}

/**
 * Returns the branch that a build is expected on when the address of the webhook names none: of a repository of the host
 * in this process its default branch, which pushes deploy there; null for all others.
 */
export async function ownBranchOf(delivery: Delivery, target: HookTarget, ports: AcceptPorts): Promise<string | null> {
  const { ownHost } = ports;
  if (!ownHost || delivery.kind !== 'build') return null;
  const { repository } = delivery;
  const host = await hostIn(delivery, target, ports);
  const mayBeOwn = host === ownHost.name || (host === null && isAnonymous(delivery));
  return mayBeOwn ? ownHost.defaultBranch(target.user, repository) : null;
}

/** Returns the host that a delivery names or, when it names none, that of the repository's pushes; null for no or several. */
async function hostIn(delivery: Delivery, target: HookTarget, ports: HostPorts): Promise<string | null> {
  const host = namedHost(delivery, ports);
  const { repository } = delivery;
  return host === null && repository && isAnonymous(delivery) ? hostOfPushes(repository, target, ports) : host;
}

/** Whether a delivery does not say at which host its repository is. */
function isAnonymous(delivery: Delivery): boolean {
  return kindOf(delivery) === ANY_HOST_KIND && delivery.repository?.hostname === null;
}

function namedHost(delivery: Delivery, { hostName }: Pick<DeliveryPorts, 'hostName'>): string | null {
  return delivery.repository && hostName(kindOf(delivery), delivery.repository.hostname);
}

function kindOf(delivery: Delivery): string {
  return delivery.kind === 'notice' ? delivery.provider : delivery.hostKind;
}

/** Returns the one host from which the repository has pushed before; null when there is none, or more than one. */
async function hostOfPushes(
  { owner, name }: DeliveredRepository,
  { user, track }: HookTarget,
  { hostNames, facts }: HostPorts,
): Promise<string | null> {
  const withPushes = await Promise.all(
    hostNames.map(async (host) => {
      const { newest, activeDeploy } = await facts.branch(user, { host, owner, name }, track);
      return newest > 0 || activeDeploy !== null ? [host] : [];
    }),
  );
  const [host, ...others] = withPushes.flat();
  return host !== undefined && others.length === 0 ? host : null;
}

function mayDeploy(delivery: Delivery, branch: string): boolean {
  if (delivery.kind === 'build') return delivery.branch === branch && reasonAgainst(delivery) === null;
  return delivery.kind === 'push' || delivery.kind === 'pull';
}

function unknown({ hostname }: DeliveredRepository, kind: string): string {
  return `The repository lives at ${hostname ?? `a host of the kind ${kind}`}, which this service is not configured for.`;
}

function ambiguous({ hostNames }: HostPorts): string {
  return (
    `The call does not name the repository host, and several are configured: ${hostNames.join(', ')}. Add the ` +
    "repository's own webhook and push once, or send the address of the repository."
  );
}

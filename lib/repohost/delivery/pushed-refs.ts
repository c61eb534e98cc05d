import { newDelivery, type PendingDeliveries, type PendingDelivery, type RefMove } from './pending-deliveries.ts';

/** The refs of one push. */
export interface PushedRefs {
  /** Name of the default branch, which is what the webhook deploys. */
  readonly deployed: string | null;
  /** Its delivery, which is stored until it has a final answer; null when the push has not moved it. */
  readonly kept: PendingDelivery | null;
  /** Deliveries of refs that deploy nothing: if they are few, they are sent once, for the log. They are never stored. */
  readonly others: readonly PendingDelivery[];
}

/** Sorts the refs of a push, and stores the delivery of the one that deploys. */
export function sortRefs(
  moves: readonly RefMove[],
  deployed: string | null,
  pending: Pick<PendingDeliveries, 'add'>,
): PushedRefs {
  const isDeployed = ({ ref }: RefMove) => ref === `refs/heads/${deployed}`;
  const [move] = moves.filter(isDeployed);
  const kept = move ? pending.add(move) : null;
  return { deployed, kept, others: moves.filter((one) => !isDeployed(one)).map((one) => newDelivery(one)) };
}

/** The entries that a push makes of refs that deploy nothing: a mirror's thousand tags would fill the log. */
const MAX_OTHERS = 1;

/** Whether refs that deploy nothing are sent. */
export function areFew(others: readonly PendingDelivery[]): boolean {
  return others.length <= MAX_OTHERS;
}

/** Returns a sentence about the other refs, and what is not done with them: `2 branches and 998 tags … not kept`. */
export function notDone({ others, deployed }: PushedRefs, done: string): string {
  const tags = others.filter(({ ref }) => ref.startsWith('refs/tags/')).length;
  const branches = others.filter(({ ref }) => ref.startsWith('refs/heads/')).length;
  const rest = others.length - tags - branches;
  const parts = [counted(branches, 'branch', 'branches'), counted(tags, 'tag', 'tags'), counted(rest, 'ref', 'refs')];
  const verb = others.length === 1 ? 'is' : 'are';
  const why = deployed === null ? 'no branch is the default branch' : `only ${deployed} is deployed`;
  return `${parts.filter(Boolean).join(' and ')} of this push ${verb} not ${done}: ${why}.`;
}

function counted(count: number, one: string, many: string): string {
  return count === 0 ? '' : `${count} ${count === 1 ? one : many}`;
}

import type { StartedGroup } from '../../process/members.ts';

/** A group with the most that it may have of something. */
export interface LimitedGroup extends StartedGroup {
  readonly limit: number;
}

interface Look {
  /** How much each group has, by its id. */
  readonly has: ReadonlyMap<number, number>;
  /** The time until the next look; absent: the usual one. */
  readonly nextMs?: number;
}

/**
 * Returns a watch of groups, which has them measured every `intervalMs` while there are any. A group of which `look` says nothing
 * has none.
 */
export function groupWatch(intervalMs: number, look: (groups: readonly LimitedGroup[]) => Promise<Look>) {
  const watched = new Map<number, { readonly group: LimitedGroup; readonly exceeded: () => void }>();
  let isScheduled = false;
  const schedule = (milliseconds = intervalMs) => {
    isScheduled = true;
    setTimeout(() => void check(), milliseconds).unref();
  };
  const check = async () => {
    const { has, nextMs } = await look([...watched.values()].map(({ group }) => group));
    for (const [pgid, { group, exceeded }] of [...watched]) {
      if ((has.get(pgid) ?? 0) <= group.limit) continue;
      watched.delete(pgid);
      exceeded();
    }
    isScheduled = false;
    if (watched.size > 0) schedule(nextMs);
  };
  return {
    /** Calls `exceeded`, once, when a group has more than its limit. Returns a function that ends the watch. */
    watch: (group: LimitedGroup, exceeded: () => void) => {
      watched.set(group.pgid, { group, exceeded });
      if (!isScheduled) schedule();
      return () => void watched.delete(group.pgid);
    },
  };
}

/**
 * Returns whether a number of the machine has grown by this much since that was last so, or was asked so often meanwhile. It is
 * read instead of what all processes have, which takes a tenth of a millisecond for each of the machine.
 */
export function growthOf(read: () => number | undefined, mostAsked: number): (by: number) => boolean {
  let lowest = read() ?? 0;
  let left = mostAsked;
  return (by) => {
    const now = read() ?? 0;
    lowest = Math.min(lowest, now);
    left -= 1;
    if (now - lowest < by && left > 0) return false;
    lowest = now;
    left = mostAsked;
    return true;
  };
}

import type { GroupRegistry } from '../../process/group-registry.ts';
import { membersOf, type StartedGroup } from '../../process/members.ts';
import { procText } from '../../process/process-info.ts';
import { groupWatch, growthOf } from './group-watch.ts';
import { mostSpecific } from './memory-watch.ts';

/** The maximum number of processes of an application: by `<user>/<app>`, by user, and `*` for all others. */
export type ProcessLimits = Readonly<Record<string, number>>;

/** Without a setting. Servers have a process for each processor, builds some for each. */
const MOST_PROCESSES = 256;

/** Returns the limit of what a group runs for: `<user>/<app>`, and perhaps a step of its build after a space. */
export function processLimitOf(limits: ProcessLimits, what: string): number {
  const [app = ''] = what.split(' ');
  return mostSpecific(limits, app) ?? MOST_PROCESSES;
}

interface ProcessCounts {
  /** The processes and threads of the machine; undefined where that is not known. */
  readonly all: () => number | undefined;
  /** The processes of each group, by its id. */
  readonly of: (groups: readonly StartedGroup[]) => Promise<ReadonlyMap<number, number>>;
}

/** All processes are counted again after this number of intervals at the latest. */
const COUNTED_EVERY = 20;
/** Processes are counted at once when their number on the machine grew by the smallest limit divided by this. */
const NOTICED_PART = 4;

/**
 * Returns a watch of groups. At each look it reads one number, by how much the processes of the machine have become more, and
 * counts those of each group only when they have, or after some time: counting reads all of /proc.
 */
export function processWatch(intervalMs: number, counts: ProcessCounts = systemCounts) {
  const hasGrown = growthOf(counts.all, COUNTED_EVERY);
  return groupWatch(intervalMs, async (groups) => {
    const smallest = Math.min(...groups.map(({ limit }) => limit));
    if (!hasGrown(smallest / NOTICED_PART)) return { has: new Map() };
    return { has: await counts.of(groups).catch(() => new Map()) };
  });
}

const systemCounts: ProcessCounts = {
  all: () => (process.platform === 'linux' ? threadsOfAll() : undefined),
  of: countsOf,
};

/** The fourth field, after the slash: https://man7.org/linux/man-pages/man5/proc_loadavg.5.html */
function threadsOfAll(): number | undefined {
  const [, all] = /\/(\d+) /.exec(procText('loadavg')) ?? [];
  return all === undefined ? undefined : Number(all);
}

async function countsOf(groups: readonly StartedGroup[]): Promise<ReadonlyMap<number, number>> {
  const total = new Map<number, number>();
  for (const { pgid } of await membersOf(groups)) total.set(pgid, (total.get(pgid) ?? 0) + 1);
  return total;
}

/** Returns the registry whose groups are killed when they have too many processes; `limitOf` gets what each runs for. */
export function boundedGroups(
  groups: GroupRegistry,
  { limitOf, checkMs }: { readonly limitOf: (what: string) => number; readonly checkMs: number },
): GroupRegistry {
  const processes = processWatch(checkMs);
  return {
    ...groups,
    watch: ({ what, ...group }, exceeded) => {
      const limit = limitOf(what);
      return processes.watch({ ...group, limit }, () => exceeded(`started more than ${limit} processes`));
    },
  };
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { GroupRegistry, RunningGroup } from '../../process/group-registry.ts';
import { PROCESS_MARK } from '../../process/process-group.ts';
import { allProcesses, procText, statFields } from '../../process/process-info.ts';
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

/** A group of processes, and those that have left it. */
export type WatchedGroup = Pick<RunningGroup, 'pgid' | 'mark'>;

interface ProcessWatch {
  /** Calls `exceeded`, once, when a group has more processes than the limit. Returns a function that ends the watch. */
  watch(group: WatchedGroup & { readonly limit: number }, exceeded: () => void): () => void;
}

interface ProcessCounts {
  /** The processes and threads of the machine; undefined where that is not known. */
  readonly all: () => number | undefined;
  /** The processes of each group, by its id. */
  readonly of: (groups: readonly WatchedGroup[]) => Promise<ReadonlyMap<number, number>>;
}

/** All processes are counted again after this number of intervals at the latest. */
const COUNTED_EVERY = 20;
/** They are counted at once when their number on the machine grew by the smallest limit divided by this. */
const NOTICED_PART = 4;

/**
 * Returns the watch. Every `intervalMs` it reads one number, by how much the processes of the machine have become more,
 * and counts those of each group only when they have, or after some time: counting reads all of /proc.
 */
export function processWatch(intervalMs: number, counts: ProcessCounts = systemCounts): ProcessWatch {
  const watched = new Map<number, { readonly group: WatchedGroup; readonly limit: number; exceeded: () => void }>();
  let isScheduled = false;
  let lowest = counts.all() ?? 0;
  let left = COUNTED_EVERY;
  const schedule = () => {
    isScheduled = true;
    setTimeout(() => void check().finally(next), intervalMs).unref();
  };
  const next = () => {
    isScheduled = false;
    if (watched.size > 0) schedule();
  };
  const hasGrown = () => {
    const all = counts.all() ?? 0;
    lowest = Math.min(lowest, all);
    const smallest = Math.min(...[...watched.values()].map(({ limit }) => limit));
    return all - lowest >= smallest / NOTICED_PART;
  };
  const check = async () => {
    left -= 1;
    if (watched.size === 0 || !(hasGrown() || left <= 0)) return;
    left = COUNTED_EVERY;
    lowest = counts.all() ?? 0;
    const found = await counts.of([...watched.values()].map(({ group }) => group)).catch(() => new Map());
    for (const [pgid, { limit, exceeded }] of [...watched]) {
      if ((found.get(pgid) ?? 0) <= limit) continue;
      watched.delete(pgid);
      exceeded();
    }
  };
  return {
    watch: ({ limit, ...group }, exceeded) => {
      watched.set(group.pgid, { group, limit, exceeded });
      if (!isScheduled) schedule();
      return () => void watched.delete(group.pgid);
    },
  };
}

const systemCounts: ProcessCounts = {
  all: () => (process.platform === 'linux' ? threadsOfAll() : undefined),
  of: async (groups) => (process.platform === 'linux' ? fromProc(groups) : fromPs()),
};

/** The fourth field, after the slash: https://man7.org/linux/man-pages/man5/proc_loadavg.5.html */
function threadsOfAll(): number | undefined {
  const [, all] = /\/(\d+) /.exec(procText('loadavg')) ?? [];
  return all === undefined ? undefined : Number(all);
}

/**
 * Processes that left their group are found by their mark, which only those have that are younger than this process, or by their
 * parents: in a sandbox the first process of the group is the parent of all that have lost theirs.
 */
function fromProc(groups: readonly WatchedGroup[]): Map<number, number> {
  const total = new Map(groups.map(({ pgid }) => [pgid, 0]));
  const byMark = new Map(groups.flatMap(({ pgid, mark }) => (mark === undefined ? [] : [[mark, pgid] as const])));
  const own = startOf(statFields(procText(`${process.pid}/stat`)));
  const known = new Map<number, number | undefined>();
  const leaderOf = (pid: number): number | undefined => {
    if (known.has(pid)) return known.get(pid);
    // A number may be used again while they are read: without it a circle of parents would have no end.
    known.set(pid, undefined);
    const fields = statFields(procText(`${pid}/stat`));
    const [state, parent, group] = fields;
    // Skip zombies: they use nothing any more.
    if (state === undefined || state === '' || state === 'Z' || state === 'X') return undefined;
    const isYounger = startOf(fields) >= own;
    const found = total.has(Number(group))
      ? Number(group)
      : isYounger
        ? (byMark.get(markOf(pid)) ?? leaderOf(Number(parent)))
        : undefined;
    known.set(pid, found);
    return found;
  };
  for (const pid of allProcesses() ?? []) {
    const leader = leaderOf(pid);
    if (leader !== undefined) total.set(leader, (total.get(leader) ?? 0) + 1);
  }
  return total;
}

/** Clock ticks since the boot: the 22nd field of https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function startOf(fields: readonly string[]): number {
  return Number(fields[19]);
}

/** The environment of another user's process cannot be read. */
function markOf(pid: number): string {
  const environment = `\0${procText(`${pid}/environ`)}`;
  return new RegExp(`\0${PROCESS_MARK}=([^\0]+)\0`).exec(environment)?.[1] ?? '';
}

async function fromPs(): Promise<Map<number, number>> {
  const total = new Map<number, number>();
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pgid=']);
  for (const line of stdout.trim().split('\n')) total.set(Number(line), (total.get(Number(line)) ?? 0) + 1);
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

import { type Member, membersOf, memoryOf, type StartedGroup } from '../../process/members.ts';
import { procText } from '../../process/process-info.ts';
import { type AppId, appKey } from '../calls.ts';
import { groupWatch, growthOf } from './group-watch.ts';

/** Memory limits in MB: by `<user>/<app>`, by user, and `*` for all others; the most specific one is valid. */
export type MemoryLimits = Readonly<Record<string, number>>;

/** Returns the memory limit of an application in MB; undefined for none. */
export function memoryLimitOf(limits: MemoryLimits, app: AppId): number | undefined {
  return mostSpecific(limits, appKey(app));
}

/**
 * Returns the limit of an application: its own by `<user>/<app>`, or that of its user, or `*`; undefined for none. A
 * user may be called `constructor`, so inherited fields do not count.
 */
export function mostSpecific(limits: Readonly<Record<string, number>>, app: string): number | undefined {
  const [user = ''] = app.split('/');
  const name = [app, user, '*'].find((one) => Object.hasOwn(limits, one));
  return name === undefined ? undefined : limits[name];
}

export type MemoryWatch = ReturnType<typeof memoryWatch>;

const BYTES_PER_MB = 1024 * 1024;
/** Above this part of a limit it is measured NEAR_TIMES times as often. */
const NEAR_PART = 0.5;
const NEAR_TIMES = 10;

const measured: Measure = async (groups, members) => memoryOf(members ?? (await membersOf(groups)));

/** The machine has less memory by so much, or this was asked so often, when all processes are looked at. */
const NOTICED_BYTES = 64 * BYTES_PER_MB;
const LOOKED_EVERY = 5;

/** Returns a measure that looks at the processes of the machine only after it has become poorer in memory, or after a while. */
export function measuredWhenUsed(): Measure {
  const hasGrown = growthOf(usedMemory, LOOKED_EVERY);
  return async (groups, members) => (members || hasGrown(NOTICED_BYTES) ? measured(groups, members) : []);
}

/** https://man7.org/linux/man-pages/man5/proc_meminfo.5.html */
function usedMemory(): number | undefined {
  const [, available] = /^MemAvailable: +(\d+) kB$/m.exec(procText('meminfo')) ?? [];
  return available === undefined ? undefined : -Number(available) * 1024;
}

/** Returns the memory of the processes of these groups, looking at these processes only when they are given. */
type Measure = (groups: readonly StartedGroup[], members?: readonly Member[]) => ReturnType<typeof memoryOf>;

/**
 * Returns a watch of groups that measures above half of a limit more often. The resident memory of the processes is added up,
 * whatever program they run; memory that they share counts for each of them.
 */
export function memoryWatch(intervalMs: number, measure: Measure = measured) {
  let members: readonly Member[] = [];
  let round = 0;
  const { watch } = groupWatch(intervalMs, async (groups) => {
    // New processes are found by reading those of the whole machine, which takes longer.
    const measured = await measure(groups, round === 0 ? undefined : members).catch(() => []);
    members = measured.map(({ pid, pgid }) => ({ pid, pgid }));
    const has = totals(measured);
    const isNear = groups.some(({ pgid, limit }) => (has.get(pgid) ?? 0) > limit * NEAR_PART);
    round = isNear ? (round + 1) % NEAR_TIMES : 0;
    return { has, ...(isNear && { nextMs: intervalMs / NEAR_TIMES }) };
  });
  return {
    watch: ({ limitMb, ...group }: StartedGroup & { readonly limitMb: number }, exceeded: () => void) =>
      watch({ ...group, limit: limitMb * BYTES_PER_MB }, exceeded),
  };
}

/** Returns the resident memory of groups in bytes; none for one that has ended. */
export async function memoryOfGroups(groups: readonly StartedGroup[]): Promise<ReadonlyMap<number, number>> {
  return totals(
    await membersOf(groups)
      .then(memoryOf)
      .catch(() => []),
  );
}

function totals(measured: Awaited<ReturnType<Measure>>): ReadonlyMap<number, number> {
  const total = new Map<number, number>();
  for (const { pgid, bytes } of measured) total.set(pgid, (total.get(pgid) ?? 0) + bytes);
  return total;
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { allProcesses, procText, statFields } from '../../process/process-info.ts';
import { type AppId, appKey } from '../calls.ts';

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

export interface MemoryWatch {
  /**
   * Calls `exceeded`, once, when the processes of a group have more memory than the limit. Returns a function that ends
   * the watch.
   */
  watch(group: { readonly pgid: number; readonly limitMb: number }, exceeded: () => void): () => void;
}

const KB_PER_MB = 1024;
const BYTES_PER_KB = 1024;
/** Above this part of a limit it is measured NEAR_TIMES times as often. */
const NEAR_PART = 0.5;
const NEAR_TIMES = 10;

/**
 * Returns the watch, which measures every `intervalMs` while there is something to watch, and more often above half of a
 * limit. The resident memory of the processes is added up, whatever program they run; memory that they share counts for
 * each of them.
 */
export function memoryWatch(intervalMs: number, measure: Measure = residentMemory): MemoryWatch {
  const watched = new Map<number, { readonly limitMb: number; readonly exceeded: () => void }>();
  let isScheduled = false;
  let pids: readonly number[] = [];
  let round = 0;
  const schedule = (isNear = false) => {
    isScheduled = true;
    round = isNear ? (round + 1) % NEAR_TIMES : 0;
    setTimeout(check, isNear ? intervalMs / NEAR_TIMES : intervalMs).unref();
  };
  const check = async () => {
    // To find new processes, those of the whole machine are read, which takes longer.
    const known = round === 0 ? undefined : pids;
    const found = await measure(new Set(watched.keys()), known).catch(() => []);
    pids = found.map(({ pid }) => pid);
    let isNear = false;
    for (const [pgid, { limitMb, exceeded }] of [...watched]) {
      const kilobytes = found.reduce((sum, one) => sum + (one.pgid === pgid ? one.kilobytes : 0), 0);
      isNear ||= kilobytes > limitMb * KB_PER_MB * NEAR_PART;
      if (kilobytes <= limitMb * KB_PER_MB) continue;
      watched.delete(pgid);
      exceeded();
    }
    isScheduled = false;
    if (watched.size > 0) schedule(isNear);
  };
  return {
    watch: ({ pgid, limitMb }, exceeded) => {
      watched.set(pgid, { limitMb, exceeded });
      if (!isScheduled) schedule();
      return () => void watched.delete(pgid);
    },
  };
}

interface Usage {
  readonly pid: number;
  readonly pgid: number;
  readonly kilobytes: number;
}

/** Returns the memory of the processes of these groups, looking at these processes only when they are given. */
type Measure = (groups: ReadonlySet<number>, pids?: readonly number[]) => Promise<readonly Usage[]>;

const residentMemory: Measure = async (groups, pids) => {
  const all = process.platform === 'linux' ? fromProc(pids ?? allProcesses() ?? [], groups) : await fromPs();
  return all.filter(({ pgid }) => groups.has(pgid));
};

/** Returns the resident memory of these process groups in bytes; none for a group that has ended. */
export async function memoryOf(groups: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const total = new Map<number, number>();
  const found = groups.length === 0 ? [] : await residentMemory(new Set(groups)).catch(() => []);
  for (const { pgid, kilobytes } of found) total.set(pgid, (total.get(pgid) ?? 0) + kilobytes * BYTES_PER_KB);
  return total;
}

/** https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
function fromProc(pids: readonly number[], groups: ReadonlySet<number>): readonly Usage[] {
  return pids.flatMap((pid) => {
    const [, , group, session] = statFields(procText(`${pid}/stat`));
    // In a terminal each line of a shell is a group; they have their session in common.
    const pgid = [group, session].map(Number).find((id) => groups.has(id));
    if (pgid === undefined) return [];
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(procText(`${pid}/status`)) ?? [];
    return [{ pid, pgid, kilobytes: Number(kilobytes ?? 0) }];
  });
}

async function fromPs(): Promise<readonly Usage[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,pgid=,rss=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [pid = 0, pgid = 0, kilobytes = 0] = line.trim().split(/\s+/).map(Number);
      return { pid, pgid, kilobytes };
    });
}

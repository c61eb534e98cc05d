import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { statFields } from '../../../processes/process-info.ts';
import { type AppName, appKey } from '../../store/names.ts';
import { mostSpecific } from './most-specific.ts';

/** Memory limits in MB: by `<user>/<app>`, by user, and `*` for all others; the most specific one is valid. */
export type MemoryLimits = Readonly<Record<string, number>>;

/** Returns the memory limit of an application in MB; undefined for none. */
export function memoryLimitOf(limits: MemoryLimits, app: AppName): number | undefined {
  return mostSpecific(limits, appKey(app));
}

/** Watches the memory of process groups. */
export interface MemoryWatch {
  /**
   * Calls `exceeded`, once, when the processes of a group have more memory than the limit. Returns a function that ends
   * the watch.
   */
  watch(group: { readonly pgid: number; readonly limitMb: number }, exceeded: () => void): () => void;
}

const KB_PER_MB = 1024;

/**
 * Returns the watch, which measures every `intervalMs` while there is something to watch. The resident memory of the
 * processes is added up, whatever program they run; memory that they share counts for each of them.
 */
export function memoryWatch(intervalMs: number, measure = residentKb): MemoryWatch {
  const watched = new Map<number, { readonly limitMb: number; readonly exceeded: () => void }>();
  let isScheduled = false;
  const schedule = () => {
    isScheduled = true;
    setTimeout(check, intervalMs).unref();
  };
  const check = async () => {
    const kilobytes = await measure(new Set(watched.keys())).catch(() => new Map<number, number>());
    for (const [pgid, { limitMb, exceeded }] of [...watched]) {
      if ((kilobytes.get(pgid) ?? 0) <= limitMb * KB_PER_MB) continue;
      watched.delete(pgid);
      exceeded();
    }
    isScheduled = false;
    if (watched.size > 0) schedule();
  };
  return {
    watch: ({ pgid, limitMb }, exceeded) => {
      watched.set(pgid, { limitMb, exceeded });
      if (!isScheduled) schedule();
      return () => void watched.delete(pgid);
    },
  };
}

/** Returns the resident memory of process groups in kB, by the id of the group. */
async function residentKb(groups: ReadonlySet<number>): Promise<ReadonlyMap<number, number>> {
  const total = new Map<number, number>();
  const add = (pgid: number, kilobytes: number) => {
    if (groups.has(pgid)) total.set(pgid, (total.get(pgid) ?? 0) + kilobytes);
  };
  if (process.platform === 'linux') await fromProc(groups, add);
  else await fromPs(add);
  return total;
}

type Add = (pgid: number, kilobytes: number) => void;

/** https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
async function fromProc(groups: ReadonlySet<number>, add: Add): Promise<void> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const measureOne = async (pid: string) => {
    const pgid = Number(statFields(await readFile(`/proc/${pid}/stat`, 'utf8'))[2]);
    if (!groups.has(pgid)) return;
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    add(pgid, Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0));
  };
  // A process may end meanwhile.
  await Promise.all(pids.map((pid) => measureOne(pid).catch(() => {})));
}

async function fromPs(add: Add): Promise<void> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pgid=,rss=']);
  for (const line of stdout.trim().split('\n')) {
    const [pgid, kilobytes] = line.trim().split(/\s+/).map(Number);
    add(pgid ?? 0, kilobytes ?? 0);
  }
}

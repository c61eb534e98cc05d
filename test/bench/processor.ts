import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** The clock ticks of /proc: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const TICK_MS = 10;
const LOOK_MS = 300;
/** A process that takes less of a processor has nothing left to do. */
const AT_REST = 0.07;

/** Returns the milliseconds of processor time of a process with all its threads, and of its children that have ended. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
}

/** Resolves when the process has nothing left to do: for so many looks it has taken no processor. */
export async function atRest(pid: number, looks = 2): Promise<void> {
  for (let calm = 0; calm < looks; ) {
    const before = processorMs(pid);
    await setTimeout(LOOK_MS);
    calm = processorMs(pid) - before <= AT_REST * LOOK_MS ? calm + 1 : 0;
  }
}

/** Returns a line of a process's status, such as `VmRSS`, as a number. */
export function statusOf(pid: number, name: string): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]);
}

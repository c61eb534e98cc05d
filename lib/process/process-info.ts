import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Where the start is in the fields of `/proc/<pid>/stat`: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
export const START = 19;

/** Whether there is a process with this id, its own user's or another's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Whether a process runs. A zombie does not: it exists until its parent waits for it, which may be never. */
export function isRunning(pid: number): boolean {
  return isAlive(pid) && !(process.platform === 'linux' && startTicks(pid) === undefined);
}

/** Whether a process in this state of `/proc/<pid>/stat` has ended: it is a zombie, or not there any more. */
export function hasEnded(state: string | undefined): boolean {
  return state === undefined || ['', 'Z', 'X'].includes(state);
}

/** Returns when a process was started, in clock ticks since the boot; undefined for one that has ended. Linux only. */
export function startTicks(pid: number): number | undefined {
  const fields = statFields(procText(`${pid}/stat`));
  return hasEnded(fields[0]) ? undefined : Number(fields[START]);
}

export function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended in the meantime.
  }
}

/** Returns the ids of all processes; undefined where there is no /proc. */
export function allProcesses(): readonly number[] | undefined {
  try {
    const names = process.platform === 'linux' ? readdirSync('/proc') : undefined;
    return names?.filter((name) => /^\d+$/.test(name)).map(Number);
  } catch {
    return undefined;
  }
}

/** Returns what a process has started, and what that has, as far as it is known at once: threads may have started more. */
export function descendants(pid: number): readonly number[] {
  const children = procText(`${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/**
 * Returns the text of a file of /proc; empty for a process that has ended, or is another user's. Synchronous, because the kernel
 * answers at once: with a promise for each of all processes, each end of a group takes three times the processor time,
 * and a fork bomb would exceed the limit of open files.
 */
export function procText(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return '';
  }
}

/**
 * Returns a string that differs between this process and a later one with the same id, or `undefined` when there is no
 * such process, or one that has ended and was not yet reaped. On Linux it consists of the boot and the start time since
 * then, elsewhere it is `lstart` of `ps`.
 */
export async function processStartTime(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return fromPs(pid);
  const ticks = startTicks(pid);
  return ticks === undefined ? undefined : `${procText('sys/kernel/random/boot_id').trim()} ${ticks}`;
}

/**
 * Returns the fields of `/proc/<pid>/stat` from the third one on: state, parent, process group. They are counted from
 * the end of the second field, the program's name in parentheses, because that may hold spaces.
 */
export function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function fromPs(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], (error, stdout) => {
      resolve(error || stdout.trim() === '' ? undefined : stdout.trim());
    });
  });
}

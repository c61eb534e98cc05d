import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/**
 * A text that tells this process from a later one with the same id, or `undefined` when there is no such process: on
 * Linux the boot and the start time in it (field 22 of https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html),
 * elsewhere what `ps` calls `lstart`.
 */
export async function processStartTime(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

async function fromProc(pid: number): Promise<string | undefined> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    ]);
    // The second field, the program's name in parentheses, may hold spaces; what follows it begins with field 3.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return ticks === undefined ? undefined : `${boot.trim()} ${ticks}`;
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], (error, stdout) => {
      resolve(error || stdout.trim() === '' ? undefined : stdout.trim());
    });
  });
}

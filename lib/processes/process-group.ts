import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Ends a process group: SIGTERM, up to `graceMs`, then SIGKILL. Resolves when it is gone; fine when it is already. */
export async function endGroup(pgid: number, graceMs: number): Promise<void> {
  if (!signalGroup(pgid, 'SIGTERM')) return;
  if (await groupGone(pgid, graceMs)) return;
  signalGroup(pgid, 'SIGKILL');
  await groupGone(pgid, 2_000);
}

/** Sends a signal to a whole group; whether there was anyone to get it. */
function signalGroup(pgid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pgid, signal);
    return true;
  } catch {
    return false;
  }
}

async function groupGone(pgid: number, milliseconds: number): Promise<boolean> {
  const began = performance.now();
  for (let wait = 2; signalGroup(pgid, 0); wait = Math.min(wait * 2, 50)) {
    const elapsed = performance.now() - began;
    if (elapsed > 100 && !(await hasLiving(pgid))) return true;
    if (elapsed >= milliseconds) return false;
    await pause(wait);
  }
  return true;
}

/**
 * Whether a member of the group still runs. Signals reach also those that have ended and that nobody has collected yet,
 * which in a container without an init process is for ever; only /proc tells them apart. Elsewhere: assumed.
 */
async function hasLiving(pgid: number): Promise<boolean> {
  const names = await readdir('/proc').catch(() => undefined);
  if (!names || process.platform !== 'linux') return true;
  const stats = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  // After the name in parentheses: state, parent, group (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html).
  return stats.some((stat) => {
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === pgid && state !== 'Z' && state !== 'X';
  });
}

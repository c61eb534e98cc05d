import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { statFields } from './process-info.ts';

/** How long the kernel may take to remove a group after SIGKILL. */
const KILL_WAIT_MS = 2_000;
/** Zombies are looked for only after this time, because reading /proc costs more than a signal. */
const ZOMBIE_CHECK_AFTER_MS = 100;

/** Ends a process group: SIGTERM, up to `graceMs`, then SIGKILL. Resolves when it is gone, at once if it already is. */
export async function endGroup(pgid: number, graceMs: number): Promise<void> {
  if (!signalGroup(pgid, 'SIGTERM')) return;
  if (await groupGone(pgid, graceMs)) return;
  signalGroup(pgid, 'SIGKILL');
  await groupGone(pgid, KILL_WAIT_MS);
}

/** Sends a signal to all processes of a group; false when there is none. Signal 0 only asks. */
function signalGroup(pgid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pgid, signal);
    return true;
  } catch {
    return false;
  }
}

async function groupGone(pgid: number, timeoutMs: number): Promise<boolean> {
  const began = performance.now();
  for (let waitMs = 2; signalGroup(pgid, 0); waitMs = Math.min(waitMs * 2, 50)) {
    const elapsedMs = performance.now() - began;
    if (elapsedMs > ZOMBIE_CHECK_AFTER_MS && !(await hasRunning(pgid))) return true;
    if (elapsedMs >= timeoutMs) return false;
    await pause(waitMs);
  }
  return true;
}

/**
 * Whether a process of the group still runs. Signals also reach zombies, and in a container without an init process
 * they are never reaped; only /proc shows their state. Without /proc the answer is yes.
 */
async function hasRunning(pgid: number): Promise<boolean> {
  const names = await readdir('/proc').catch(() => undefined);
  if (!names || process.platform !== 'linux') return true;
  const stats = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  return stats.some((stat) => {
    const [state, , group] = statFields(stat);
    return Number(group) === pgid && state !== 'Z' && state !== 'X';
  });
}

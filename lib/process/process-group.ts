import { setTimeout as pause } from 'node:timers/promises';
import { allProcesses, hasEnded, procText, signalOne, statFields } from './process-info.ts';

/** The kernel may take this long to remove a group after SIGKILL. */
const KILL_WAIT_MS = 2_000;
/** Zombies are looked for only after this time, because reading /proc costs more than a signal. */
const ZOMBIE_CHECK_AFTER_MS = 10;

/**
 * Ends a process group: SIGTERM, or what `terminate` does, up to `graceMs`, then SIGKILL. Resolves when it is gone, at once
 * if it already is.
 */
export async function endGroup(
  pgid: number,
  graceMs: number,
  terminate = () => signalGroup(pgid, 'SIGTERM'),
): Promise<void> {
  if (!terminate()) return;
  if (await groupGone(pgid, graceMs)) return;
  signalGroup(pgid, 'SIGKILL');
  await groupGone(pgid, KILL_WAIT_MS);
}

/** Kills a process group at once: a group that forks could otherwise outgrow the signals to its members. */
export function killGroup(pgid: number): void {
  signalGroup(pgid, 'SIGKILL');
}

/** Sends a signal to all processes of a group; false when there is none. Signal 0 only asks. */
export function signalGroup(pgid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pgid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Sends a signal to the processes of a group but its leader and the children of that: in a sandbox both are of bubblewrap.
 * Returns false when there is no other. Linux only, because it reads /proc.
 */
export function signalFollowers(leader: number, signal: NodeJS.Signals): boolean {
  const followers = (allProcesses() ?? []).filter((pid) => {
    const [, parent, group] = statFields(procText(`${pid}/stat`)).map(Number);
    return group === leader && pid !== leader && parent !== leader;
  });
  for (const pid of followers) signalOne(pid, signal);
  return followers.length > 0;
}

/** Waits until no process of a group runs any more, up to `timeoutMs`; returns whether that is so. */
export async function groupGone(pgid: number, timeoutMs: number): Promise<boolean> {
  const began = performance.now();
  for (let waitMs = 2; signalGroup(pgid, 0); waitMs = Math.min(waitMs * 2, 50)) {
    const elapsedMs = performance.now() - began;
    if (elapsedMs > ZOMBIE_CHECK_AFTER_MS && !hasRunning(pgid)) return true;
    if (elapsedMs >= timeoutMs) return false;
    await pause(waitMs);
  }
  return true;
}

/**
 * Whether a process of the group still runs. Signals also reach zombies, and in a container without an init process
 * they are never reaped; only /proc shows their state. Without /proc the answer is yes.
 */
function hasRunning(pgid: number): boolean {
  const isOne = (pid: number) => {
    const [state, , group] = statFields(procText(`${pid}/stat`));
    return Number(group) === pgid && !hasEnded(state);
  };
  // The leader first: it mostly ends last, and to read one file costs less than those of all processes.
  return isOne(pgid) || (allProcesses()?.some(isOne) ?? true);
}

import { setTimeout as pause } from 'node:timers/promises';
import { allProcesses, processStartTime, procText, statFields } from './process-info.ts';

/** The variable that all processes of a child inherit, also those that leave its group: `setsid` does not change it. */
export const PROCESS_MARK = 'PLATFORM_PROCESS_MARK';

/** A process that forks while it is looked for is found in a later round. */
const MOST_ROUNDS = 10;
const ROUND_PAUSE_MS = 10;

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
  const followers = processesThat((pid) => {
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
  const pids = allProcesses();
  return (
    !pids ||
    pids.some((pid) => {
      const [state, , group] = statFields(procText(`${pid}/stat`));
      return Number(group) === pgid && state !== 'Z' && state !== 'X';
    })
  );
}

/**
 * Ends the processes of this user that have the mark, or one that begins so, in their environment, wherever they are
 * by now: SIGTERM, up to `graceMs`, SIGKILL. Linux only, because it reads /proc; a process that clears its environment
 * escapes.
 */
export async function endMarked(mark: string, graceMs: number): Promise<void> {
  const found = new Map<number, string>();
  const left = await leftOf(mark, found);
  if (left.length === 0) return;
  for (const pid of left) await signalMarked(pid, mark, 'SIGTERM');
  const killAfter = performance.now() + graceMs;
  for (let round = 0; round < MOST_ROUNDS; ) {
    await pause(ROUND_PAUSE_MS);
    const still = await leftOf(mark, found);
    if (still.length === 0) return;
    if (performance.now() < killAfter) continue;
    for (const pid of still) await signalMarked(pid, mark, 'SIGKILL');
    round += 1;
  }
}

/**
 * Returns the processes with the mark, and those `found` before that still run: one that is ending has no environment
 * any more a moment before it closes its ports. `found` has the start times.
 */
async function leftOf(mark: string, found: Map<number, string>): Promise<readonly number[]> {
  for (const pid of processesThat((pid) => hasMark(pid, mark))) {
    const started = await processStartTime(pid);
    if (started !== undefined) found.set(pid, started);
  }
  const left: number[] = [];
  for (const [pid, started] of found) if ((await processStartTime(pid)) === started) left.push(pid);
  return left;
}

function processesThat(fits: (pid: number) => boolean): readonly number[] {
  return allProcesses()?.filter(fits) ?? [];
}

/** The environment of another user's process cannot be read, and a zombie has none. */
function hasMark(pid: number, mark: string): boolean {
  return pid !== process.pid && `\0${procText(`${pid}/environ`)}`.includes(`\0${PROCESS_MARK}=${mark}`);
}

/** The id may have been given to another process since it was found: it is asked again, and has the same start time. */
async function signalMarked(pid: number, mark: string, signal: NodeJS.Signals): Promise<void> {
  const started = await processStartTime(pid);
  if (started === undefined || !hasMark(pid, mark) || (await processStartTime(pid)) !== started) return;
  signalOne(pid, signal);
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended in the meantime.
  }
}

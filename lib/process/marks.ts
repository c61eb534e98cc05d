// What finds processes that have left their group where there is no sandbox: in one, the kernel ends them. Linux only, because
// it reads /proc; a process that clears its environment escapes.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { allProcesses, procText, signalOne, startTicks } from './process-info.ts';

/** The variable that all processes of a group inherit, also those that leave it: `setsid` does not change it. */
export const PROCESS_MARK = 'PLATFORM_PROCESS_MARK';

/** The beginning of the marks of all processes that this one starts. */
export const OWN_MARKS = `${randomBytes(8).toString('hex')}-`;

/** A process that forks while it is looked for is found in a later round. */
const MOST_ROUNDS = 10;
const ROUND_PAUSE_MS = 10;

/** Returns the value of `PROCESS_MARK` for a group that is about to be started. */
export function newMark(): string {
  return `${OWN_MARKS}${randomBytes(8).toString('hex')}`;
}

/** Returns the mark of a process; empty for another user's, whose environment cannot be read, and for a zombie. */
export function markOf(pid: number): string {
  return new RegExp(`\0${PROCESS_MARK}=([^\0]+)\0`).exec(`\0${procText(`${pid}/environ`)}`)?.[1] ?? '';
}

/** A process without a mark, and an empty one that is asked for, are none. */
function isMarked(pid: number, mark: string): boolean {
  return mark !== '' && markOf(pid).startsWith(mark);
}

/** Ends the processes that have this mark, or one that begins so: SIGTERM, up to `graceMs`, SIGKILL. */
export async function endMarked(mark: string, graceMs: number): Promise<void> {
  const killAfter = performance.now() + graceMs;
  // Each with its start: a process that is ending has no environment any more a moment before it closes its ports.
  const sought = new Map<number, number | undefined>();
  for (let kills = 0; kills < MOST_ROUNDS; await pause(ROUND_PAUSE_MS)) {
    const added = (allProcesses() ?? []).filter(
      (pid) => pid !== process.pid && !sought.has(pid) && isMarked(pid, mark),
    );
    for (const pid of added) sought.set(pid, startTicks(pid));
    const left = [...sought].flatMap(([pid, ticks]) => (ticks !== undefined && startTicks(pid) === ticks ? [pid] : []));
    if (left.length === 0) return;
    const isLate = performance.now() >= killAfter;
    for (const pid of isLate ? left : added) signalOne(pid, isLate ? 'SIGKILL' : 'SIGTERM');
    if (isLate) kills += 1;
  }
}

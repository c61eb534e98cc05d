import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process, identified by its id and start time, because ids are reused. */
export interface ProcessMark {
  readonly pid: number;
  readonly startTime: string;
  /** Its command line, for the message of a test. */
  readonly command: string;
}

interface Found extends ProcessMark {
  readonly parent: number;
}

/** Returns all descendants of a process. */
export function descendants(pid: number): readonly ProcessMark[] {
  const all = everyProcess();
  const below = (parent: number): readonly Found[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  return below(pid);
}

/** Returns those that still run. */
export function stillRunning(marks: readonly ProcessMark[]): readonly ProcessMark[] {
  return marks.filter((mark) => inspect(mark.pid)?.startTime === mark.startTime);
}

/** Returns the processes that run in a folder or have a path of it in their command line. */
export function runningIn(folder: string): readonly ProcessMark[] {
  return everyProcess().filter(
    ({ pid, command }) =>
      pid !== process.pid && (command.includes(folder) || target(`/proc/${pid}/cwd`).startsWith(folder)),
  );
}

/** Whether it is a runner, and not the shell that becomes the next one. */
export function isRunner({ command }: ProcessMark): boolean {
  return /^\S*node \S*runner\.cjs/.test(command);
}

function everyProcess(): readonly Found[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (inspect(Number(name)) ?? []) : []));
}

/** Returns null when it has ended; a zombie counts as ended. */
function inspect(pid: number): Found | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name in parentheses may hold anything: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return null;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, parent: Number(fields[1]), startTime: fields[19] ?? '', command };
  } catch {
    return null;
  }
}

/** Returns the target of a link; empty when it is not there any more. */
function target(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

/** Returns the targets of the descriptors that a process has open; none of one that has ended. */
export function openIn(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return existsSync(folder) ? readdirSync(folder).map((fd) => target(`${folder}/${fd}`)) : [];
}

/** Sends a signal to a process, or to a group by its negative id; does nothing when it has ended. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

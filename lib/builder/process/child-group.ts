import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { oneLine } from '../../../functions/core/text.ts';
import { hasCode } from '../../files/errors.ts';
import { type Exit, exitOf } from '../../process/command.ts';
import type { GroupRegistry } from '../../process/group-registry.ts';
import { endGroup, endMarked, killGroup, PROCESS_MARK } from '../../process/process-group.ts';
import type { OutputName } from './lines.ts';

const LEFT_BEHIND_GRACE_MS = 500;
/** Of a script, in bytes: what Linux reads. */
const LONGEST_FIRST_LINE = 256;
const LONGEST_SHOWN = 80;

/** The command of a process group. */
interface ChildSpec {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** For whom it runs, for the registry of groups. */
  readonly what: string;
  /** Whether something will be written to its standard input. */
  readonly takesInput?: boolean;
  /** A program of the service itself that starts no other: nothing is looked for after its end, which reads all of /proc. */
  readonly startsNone?: boolean;
  /** Called with standard output and with standard error; both must be read, or the child blocks. */
  readonly output: (stream: Readable, name: OutputName) => void;
}

export interface ChildGroup {
  readonly pgid: number;
  /** The value of `PROCESS_MARK` of its processes. */
  readonly mark: string;
  /** Its standard input, with `takesInput`. */
  readonly input: Writable | null;
  /** Resolves at the moment when the leader ends; what it left behind, and its output, take longer. */
  readonly leaderEnded: Promise<unknown>;
  /** Resolves with how the leader ended, once nothing of the group is left. */
  readonly exited: Promise<Exit>;
  /** The limit for which it was killed: `used more than 512 MB`; undefined otherwise. */
  overrun(): string | undefined;
  /** Ends the whole group: SIGTERM, up to `graceMs`, SIGKILL. Resolves when it is gone; a second call does nothing. */
  end(graceMs: number): Promise<void>;
}

/**
 * Runs a program as the leader of a new process group, because a signal to a shell or to npm alone does not
 * reach the processes they started. Rejects when there is no such program.
 */
export async function startGroup(groups: GroupRegistry, spec: ChildSpec): Promise<ChildGroup> {
  const mark = groups.mark?.() ?? randomBytes(12).toString('hex');
  const child = begin(spec, mark);
  if (child.stdout) spec.output(child.stdout, 'stdout');
  if (child.stderr) spec.output(child.stderr, 'stderr');
  const leaderEnded = new Promise((resolve) => child.once('exit', resolve));
  const exit = exitOf(child);
  const pgid = await started(child, spec);
  const group = { pgid, what: spec.what, mark, cwd: spec.cwd };
  groups.add(group);
  let overrun: string | undefined;
  const unwatch = groups.watch?.(group, (how) => {
    overrun = how;
    killGroup(pgid);
  });
  const exited = exit.then(async (how) => {
    unwatch?.();
    const graceMs = overrun === undefined ? LEFT_BEHIND_GRACE_MS : 0;
    // Processes that the leader left behind end with it, also those that have left its group.
    await endGroup(pgid, graceMs);
    if (!spec.startsNone) await endMarked(mark, graceMs);
    groups.remove(pgid);
    return how;
  });
  return {
    pgid,
    mark,
    input: child.stdin,
    leaderEnded,
    exited,
    overrun: () => overrun,
    end: async (graceMs) => {
      await endGroup(pgid, graceMs);
      await exited;
    },
  };
}

function begin({ program, args, cwd, env, takesInput }: ChildSpec, mark: string): ChildProcess {
  const stdio = [takesInput ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const;
  try {
    return spawn(program, args, { cwd, env: { ...env, [PROCESS_MARK]: mark }, detached: true, stdio: [...stdio] });
  } catch (error) {
    // Node emits some errors of spawn (ENOENT, EACCES), and throws others (E2BIG).
    throw notRun({ program, cwd }, error);
  }
}

function started(child: ChildProcess, spec: Pick<ChildSpec, 'program' | 'cwd'>): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (error) => reject(notRun(spec, error)));
  });
}

function notRun({ program, cwd }: Pick<ChildSpec, 'program' | 'cwd'>, cause: unknown): Error {
  const shown = `"${program.slice(0, 80)}"`;
  const wrong = program.includes('/') ? wrongScript(resolve(cwd, program), cause) : undefined;
  if (wrong !== undefined) return new Error(`${shown} could not be run: ${wrong}.`, { cause });
  if (hasCode(cause, 'ENOENT')) return new Error(`The program ${shown} was not found.`, { cause });
  const why = hasCode(cause, 'E2BIG')
    ? 'its command line or one of its variables is too long for the system'
    : `${cause instanceof Error ? cause.message : cause}`;
  return new Error(`${shown} could not be run: ${why}.`, { cause });
}

/** What is wrong with a file that is there and cannot be run. */
function wrongScript(file: string, cause: unknown): string | undefined {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  if (hasCode(cause, 'EACCES')) {
    return `it has no execute bit; "git update-index --chmod=+x ${basename(file)}" in its folder sets it`;
  }
  if (!hasCode(cause, 'ENOENT')) return undefined;
  // The system looks for the interpreter.
  const [first = ''] = beginningOf(file).split('\n');
  return first.endsWith('\r')
    ? 'its lines end as on Windows (CRLF); commit it with LF'
    : `its first line, "${oneLine(first, LONGEST_SHOWN)}", names a program that is not there`;
}

function beginningOf(file: string): string {
  const buffer = Buffer.alloc(LONGEST_FIRST_LINE);
  const descriptor = openSync(file, 'r');
  try {
    return buffer.toString('latin1', 0, readSync(descriptor, buffer));
  } finally {
    closeSync(descriptor);
  }
}

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import { removeTree } from '../../files/tree.ts';
import { type Exit, exitOf } from '../../process/command.ts';
import type { GroupRegistry } from '../../process/group-registry.ts';
import { endMarked, newMark, PROCESS_MARK } from '../../process/marks.ts';
import type { StartedGroup } from '../../process/members.ts';
import { keyFilter } from '../../process/private-files.ts';
import { endGroup, killGroup, signalFollowers, signalGroup } from '../../process/process-group.ts';
import { placeOf, type Sandbox, sandboxArguments, withPaths } from '../../process/sandbox.ts';
import type { OutputName } from './lines.ts';
import { checkProgram, notRun } from './not-run.ts';
import { withOtherPid } from './other-pid.ts';

const LEFT_BEHIND_GRACE_MS = 500;
/** As of a shell, and of bubblewrap: 128 and the number of the signal. */
const SIGNAL_BASE = 128;

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
  /** Absent: it sees all that the service sees. */
  readonly sandbox?: Sandbox;
  /** Called with standard output and with standard error; both must be read, or the child blocks. */
  readonly output: (stream: Readable, name: OutputName) => void;
}

export interface ChildGroup extends StartedGroup {
  /** Its standard input, with `takesInput`. */
  readonly input: Writable | null;
  /** Resolves at the moment when the leader ends; what it left behind, and its output, take longer. */
  readonly leaderEnded: Promise<unknown>;
  /** Resolves with how the leader ended, once nothing of the group is left. */
  readonly exited: Promise<Exit>;
  /** The limit for which it was killed: `used more than 512 MB`; undefined otherwise. */
  overrun(): string | undefined;
  /** Sends a signal to its processes. */
  signal(signal: NodeJS.Signals): void;
  /** Ends the whole group: SIGTERM, up to `graceMs`, SIGKILL. Resolves when it is gone; a second call does nothing. */
  end(graceMs: number): Promise<void>;
}

/**
 * Runs a program as the leader of a new process group, because a signal to a shell or to npm alone does not
 * reach the processes they started. Rejects when there is no such program.
 */
export async function startGroup(groups: GroupRegistry, spec: ChildSpec): Promise<ChildGroup> {
  const { sandbox } = spec;
  const mark = sandbox ? undefined : newMark();
  const temporary = sandbox && (await temporaryIn(sandbox));
  const child = begin(mark === undefined ? spec : { ...spec, env: { ...spec.env, [PROCESS_MARK]: mark } }, temporary);
  if (child.stdout) spec.output(child.stdout, 'stdout');
  if (child.stderr) spec.output(child.stderr, 'stderr');
  const leaderEnded = new Promise((resolve) => child.once('exit', resolve));
  const exit = exitOf(child);
  const pgid = await started(child, { ...spec, ...(sandbox && { program: sandbox.command[0] }) }).catch(
    async (error) => {
      if (temporary !== undefined) await remove(temporary);
      throw error;
    },
  );
  const group = { pgid, mark, what: spec.what, cwd: spec.cwd, diesToo: sandbox !== undefined };
  groups.add(group);
  let overrun: string | undefined;
  const unwatch = groups.watch?.(group, (how) => {
    overrun = how;
    killGroup(pgid);
  });
  // The leader of a sandbox would end at once, without how its program has ended.
  const signal = (name: NodeJS.Signals) => (sandbox ? signalFollowers : signalGroup)(pgid, name);
  const terminate = () => signal('SIGTERM') || signalGroup(pgid, 'SIGKILL');
  const exited = exit.then(async (how) => {
    unwatch?.();
    const graceMs = overrun === undefined ? LEFT_BEHIND_GRACE_MS : 0;
    // Processes that the leader left behind end with it, also those that have left its group.
    await endGroup(pgid, graceMs);
    // The first process of a sandbox is in the group, and nothing in it outlives that.
    if (!spec.startsNone && mark !== undefined) await endMarked(mark, graceMs);
    groups.remove(pgid);
    if (temporary !== undefined) await remove(temporary);
    return sandbox ? asSignal(how) : how;
  });
  return {
    pgid,
    mark,
    input: child.stdin,
    leaderEnded,
    exited,
    overrun: () => overrun,
    signal,
    end: async (graceMs) => {
      await endGroup(pgid, graceMs, terminate);
      await exited;
    },
  };
}

function begin(
  { program, args, cwd, env, takesInput, sandbox }: ChildSpec,
  temporary: string | undefined,
): ChildProcess {
  const stdio: StdioOptions = [takesInput ? 'pipe' : 'ignore', 'pipe', 'pipe'];
  try {
    if (!sandbox || temporary === undefined) return spawn(program, args, { cwd, env, detached: true, stdio });
    checkProgram({ program, args, cwd, env });
    const { release } = sandbox;
    const asSeen = (text: string) => (release === undefined ? text : withPaths(text, release, placeOf(release)));
    // Not with the variables, one of which may name a library to load, and not in its command line, which everybody sees.
    const inside = { cwd, env: {}, detached: true, stdio: [...stdio, 'pipe' as const, 'pipe' as const] };
    const [starter, ...before] = sandbox.command;
    const command = [program, ...args].map(asSeen);
    const words = withOtherPid(command, sandbox);
    const child = spawn(starter, [...before, '--args', '3', '--seccomp', '4', ...words], inside);
    const seen = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, asSeen(value)]));
    const given = `${sandboxArguments(sandbox, { cwd: asSeen(cwd), env: seen, temporary }).join('\0')}\0`;
    for (const [at, bytes] of [given, keyFilter()].entries()) {
      const to = child.stdio[3 + at] as Duplex | undefined;
      // Unless its end is read, the child is never closed.
      to?.on('error', () => undefined).resume();
      to?.end(bytes);
    }
    return child;
  } catch (error) {
    if (temporary !== undefined) void remove(temporary);
    // Node emits some errors of spawn (ENOENT, EACCES), and throws others (E2BIG).
    throw notRun({ program, cwd }, error);
  }
}

async function temporaryIn({ temporaries }: Sandbox): Promise<string> {
  await mkdir(temporaries, { recursive: true });
  return mkdtemp(join(temporaries, 'tmp-'));
}

async function remove(temporary: string): Promise<void> {
  // Mostly it is empty, and the end of a step of a build waits for this.
  const isGone = await rmdir(temporary).then(
    () => true,
    () => false,
  );
  if (!isGone) await removeTree(temporary).catch(() => undefined);
}

/** Returns how a program has ended, of which bubblewrap returns what a shell does. */
function asSignal({ code, signal }: Exit): Exit {
  const [name] = Object.entries(constants.signals).find(([, number]) => SIGNAL_BASE + number === code) ?? [];
  return name === undefined ? { code, signal } : { code: null, signal: name as NodeJS.Signals };
}

function started(child: ChildProcess, spec: Pick<ChildSpec, 'program' | 'cwd'>): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (error) => reject(notRun(spec, error)));
  });
}

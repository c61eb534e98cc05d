import type { Readable } from 'node:stream';
import { reasonIn } from '../../../functions/core/output/build-reason.ts';
import { howItEnded } from '../../../functions/core/output/diagnosis.ts';
import type { GroupRegistry } from '../../process/group-registry.ts';
import type { Isolation, Sight } from '../../process/sandbox.ts';
import { startGroup } from './child-group.ts';
import type { OutputName } from './lines.ts';

const GRACE_MS = 2_000;
const KEPT_LINES = 400;

/** Where the output of a build goes. */
export interface CommandLog {
  /** Adds one line of the platform. */
  note(line: string): void;
  /** Reads a stream of a command to its end; `seen` is called with each line. */
  capture(stream: Readable, name: OutputName, seen: (line: string) => void): void;
}

/** Shared by the commands of one build. */
export interface CommandContext {
  readonly groups: GroupRegistry;
  /** For whom they run, for the registry of groups. */
  readonly what: string;
  /** Time limit of each command. */
  readonly timeoutMs: number;
  readonly log: CommandLog;
  /** Ends the command and rejects. */
  readonly signal: AbortSignal;
  /** Absent: they see all that the service sees. */
  readonly isolation?: Isolation | null;
}

interface CommandSpec {
  /** As a person would write it; it begins the sentence of a failure. */
  readonly title: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly sight: Sight;
  /** Returns what to add to the sentence of a failure, by the output. */
  readonly hint?: (lines: readonly string[]) => string;
}

/**
 * Runs a command with its output in the build's log, and returns its last lines. Throws an Error with one sentence that
 * begins with the command.
 */
export async function runCommand(context: CommandContext, command: CommandSpec): Promise<readonly string[]> {
  const { groups, what, log, signal, timeoutMs, isolation } = context;
  const { title } = command;
  const lines: string[] = [];
  const seen = (line: string) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
  };
  const group = await startGroup(groups, {
    ...command,
    what,
    ...(isolation && { sandbox: { ...isolation, ...command.sight } }),
    output: (stream, name) => log.capture(stream, name, seen),
  });
  let stopped: string | undefined;
  const stop = (reason: string) => {
    stopped = reason;
    group.end(GRACE_MS).catch(() => undefined);
  };
  const timer = setTimeout(() => stop(`did not finish within ${Math.ceil(timeoutMs / 60_000)} minutes`), timeoutMs);
  const cancel = () => stop('was cancelled');
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const exit = await group.exited;
  clearTimeout(timer);
  signal.removeEventListener('abort', cancel);
  const overrun = group.overrun();
  if (overrun !== undefined) throw new Error(`${title} ${overrun}.`);
  if (stopped) throw new Error(`${title} ${stopped}.`);
  if (exit.code !== 0) throw new Error(`${title} ${howItEnded(exit)}${reasonIn(lines)}${command.hint?.(lines) ?? ''}.`);
  return lines;
}

import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exitOf, shellQuote } from '../../../lib/process/command.ts';
import { endGroup } from '../../../lib/process/process-group.ts';
import { eachLine } from '../invoke/log-lines.ts';
import { watchGroup } from '../watchdog.ts';

/** The commands of a build, and their context. */
export interface Commands {
  readonly commands: readonly string[];
  /** A folder of this build, and the one in it where the commands begin. */
  readonly folder: string;
  readonly source: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly line: (text: string) => void;
  /** Ends the command that runs, and lets no other begin. */
  readonly signal: AbortSignal;
}

const GRACE_MS = 500;
/** The folder of Node in the image. */
const NODE_OF_IMAGE = '/var/lang/bin';

/** Runs commands one after another in one shell, up to the first that fails. Returns why it did, in CodeBuild's words. */
export async function runCommands(run: Commands): Promise<string | undefined> {
  const { commands, folder, source, environment, line, signal } = run;
  const script = join(folder, 'script');
  const current = join(folder, 'command');
  const here = commands.map((command) => command.replaceAll(NODE_OF_IMAGE, dirname(process.execPath)));
  await writeFile(script, scriptOf(here, current));
  const child = spawn('/bin/sh', [script], {
    cwd: source,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
  });
  for (const stream of [child.stdout, child.stderr]) eachLine(stream, line);
  const { pid } = child;
  if (pid === undefined) return 'sh could not be started on this machine';
  const unwatch = watchGroup(pid);
  const end = () => void endGroup(pid, GRACE_MS);
  signal.addEventListener('abort', end);
  // The build may have been stopped while the command was started.
  if (signal.aborted) end();
  const { code } = await exitOf(child);
  signal.removeEventListener('abort', end);
  // What a command left running in the background ends with its phase.
  await endGroup(pid, GRACE_MS);
  unwatch();
  if (code === 0) return undefined;
  const command = commands[Number(await readFile(current, 'utf8').catch(() => '0'))];
  const reason = `exit status ${code ?? 'unknown'}`;
  line(`[Container] ${stamp()} Command did not exit successfully ${command} ${reason}`);
  return `Error while executing command: ${command}. Reason: ${reason}`;
}

/** @param current the file that gets the number of the command that runs */
function scriptOf(commands: readonly string[], current: string): string {
  const lines = commands.flatMap((text, index) => [
    `echo ${index} > ${shellQuote(current)}`,
    `printf '[Container] %s Running command %s\\n' "$(date -u '+%Y/%m/%d %H:%M:%S')" ${shellQuote(text)}`,
    text,
    '__status=$?; [ "$__status" -eq 0 ] || exit "$__status"',
  ]);
  return `${lines.join('\n')}\n`;
}

/** The time as CodeBuild prints it. */
export function stamp(): string {
  return new Date().toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');
}

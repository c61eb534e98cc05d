import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RunTerminal } from '../../../functions/core/ports/processes.ts';
import type { StartCommand } from '../../builder/start/start-command.ts';
import { shellQuote } from '../../process/command.ts';
import type { StartedGroup } from '../../process/members.ts';
import { descendants } from '../../process/process-info.ts';

const run = promisify(execFile);

/**
 * Returns the program that gives a command a terminal, `script` of util-linux, or undefined where there is none. That of
 * macOS refuses an input that is a socket, as Node's are, and that of BusyBox drops the exit code.
 * https://man7.org/linux/man-pages/man1/script.1.html
 */
export async function terminalProgram(path: string | undefined): Promise<string | undefined> {
  const env = { PATH: path ?? '/usr/bin:/bin' };
  const answer = await run('/bin/sh', ['-c', 'command -v script && script --version </dev/null'], { env }).catch(
    () => null,
  );
  const [program, version] = answer?.stdout.split('\n') ?? [];
  return program?.startsWith('/') && version?.includes('util-linux') ? program : undefined;
}

/** Returns the command in its own terminal. It first prints on standard error which one: `terminalOf` reads that. */
export function inTerminal(program: string, command: StartCommand, terminal: RunTerminal): StartCommand {
  const line = [
    `export TERM=${terminal.type ?? 'xterm'}`,
    // `script` switches the echo off when it has no terminal itself.
    `stty sane iutf8 ${sizeOf(terminal).join(' ')}`,
    'tty >&3',
    `exec 3>&- ${[command.program, ...command.args].map(shellQuote).join(' ')}`,
  ].join('; ');
  const args = ['-c', 'exec "$0" --quiet --return --command "$1" /dev/null 3>&2', program, line];
  return { ...command, program: '/bin/sh', args };
}

/** Returns the terminal that a command in one has named first; null for anything else, as an error of `script`. */
export function terminalOf(text: string): string | null {
  return /^(\/dev\/\S+)\n$/.exec(text)?.[1] ?? null;
}

/** Changes the size of a terminal and signals the programs in it. A terminal that is gone is ignored. */
export function resize(device: string, { pgid }: StartedGroup, terminal: RunTerminal): void {
  // In a sandbox the devices have names of their own, which what was started last sees.
  const inside = descendants(pgid).at(-1) ?? pgid;
  execFile('stty', ['-F', `/proc/${inside}/root${device}`, ...sizeOf(terminal)], () => undefined);
}

function sizeOf({ columns, rows }: RunTerminal): readonly string[] {
  return ['rows', String(rows), 'cols', String(columns)];
}

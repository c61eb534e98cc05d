import { readFileSync } from 'node:fs';
import type { CommandContext } from './command.ts';
import { groups } from './commands.ts';
import { runProgram } from './program/program.ts';

/** Runs the command line `hooks` and returns its exit code. Nothing is thrown. */
export function hooks(argv: readonly string[], context: CommandContext): Promise<number> {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return runProgram(argv, context, { groups, version });
}

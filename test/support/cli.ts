import { groups } from '../../lib/cli/commands.ts';
import { type CliRun, type ProgramRun, runInProcess } from './run-program.ts';

export type { CliRun } from './run-program.ts';

/** Where the command line runs; by default on a machine without a service and without a login. */
export type CliOptions = Omit<ProgramRun, 'groups'>;

/** Runs the command line with all its commands. The arguments are separated by spaces. */
export function cli(args: string | readonly string[], options: CliOptions = {}): Promise<CliRun> {
  return runInProcess(args, { ...options, groups });
}

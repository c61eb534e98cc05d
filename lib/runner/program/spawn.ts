import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgramOptions } from './protocol.ts';

/** The errors of the runner that was started last, in its folder. */
export const ERRORS = 'runner.log';

/** How the program is started. */
export interface Launch {
  readonly node: string;
  /** The file of the program. */
  readonly program: string;
  readonly options: ProgramOptions;
}

/** Starts the runner of a folder as a program that outlives this one, with a channel between both when `isSuccessor`. */
export function spawnRunner(
  { node, program, options }: Launch,
  { folder, own, isSuccessor = false }: { folder: string; own: NodeJS.ProcessEnv; isSuccessor?: boolean },
): ChildProcess {
  const errors = openSync(join(folder, ERRORS), 'w', 0o600);
  const { PATH, HOME } = own;
  const stdio: StdioOptions = ['ignore', 'ignore', errors, ...(isSuccessor ? ['ipc' as const] : [])];
  const child = spawn(node, [program, JSON.stringify(options)], {
    cwd: folder,
    // A signal to the group of this process must not reach it.
    detached: true,
    env: { ...(PATH !== undefined && { PATH }), ...(HOME !== undefined && { HOME }) },
    stdio,
  });
  closeSync(errors);
  child.unref();
  return child;
}

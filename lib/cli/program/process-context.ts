import type { CommandContext } from '../command.ts';
import { terminalInput } from './input.ts';
import { OutputClosed } from './program.ts';

const INTERRUPTED = 130;

/** Returns the surroundings of this process. The first Ctrl-C ends the command, a second one the process. */
export function processContext(): CommandContext {
  const ending = new AbortController();
  const { stdout, stderr, env } = process;
  process.on('SIGINT', () => {
    if (ending.signal.aborted) process.exit(INTERRUPTED);
    ending.abort();
  });
  // The reader of the output has closed it: `| head`.
  for (const stream of [stdout, stderr]) stream.on('error', () => ending.abort(new OutputClosed()));
  // npm runs a script in the folder of its package.
  const folder = env.npm_lifecycle_event === 'hooks' ? env.INIT_CWD : undefined;
  return {
    env,
    folder: folder ?? process.cwd(),
    stdin: terminalInput(ending.signal),
    stdout,
    stderr,
    signal: ending.signal,
  };
}

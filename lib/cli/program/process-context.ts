import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { CommandContext, Input } from '../command.ts';
import { Failure } from '../errors.ts';
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

/** Returns standard input. Questions are written to standard error, so that the result can be piped. */
function terminalInput(signal: AbortSignal): Input {
  const { stdin, stderr } = process;
  return {
    isTTY: stdin.isTTY === true,
    read: () => text(stdin),
    chunks: (ended) => {
      ended.addEventListener('abort', () => stdin.destroy(), { once: true });
      return stdin;
    },
    ask: (question, { hidden = false } = {}) => {
      if (!stdin.isTTY) throw new Failure('There is no terminal to ask at: give the arguments that are missing.');
      return ask(question, { hidden, signal, echo: stderr });
    },
  };
}

interface Asking {
  readonly hidden: boolean;
  readonly signal: AbortSignal;
  readonly echo: NodeJS.WritableStream;
}

/**
 * In a terminal's raw mode readline itself shows what is typed, so that a hidden answer is one that it writes nowhere.
 */
function ask(question: string, { hidden, signal, echo }: Asking): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: hidden ? nowhere : echo, terminal: true });
  if (hidden) echo.write(question);
  return new Promise<string>((resolve, reject) => {
    const cancel = () => reject(new Failure('Cancelled.'));
    // In raw mode Ctrl-C is a key, not a signal. Ctrl-D closes the input.
    reader.once('SIGINT', () => process.emit('SIGINT'));
    reader.once('close', cancel);
    signal.addEventListener('abort', cancel, { once: true });
    reader.question(hidden ? '' : question, resolve);
  }).finally(() => {
    if (hidden) echo.write('\n');
    reader.close();
  });
}

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Input } from '../command.ts';
import { Failure } from '../errors.ts';

/** Returns standard input. Questions are written to standard error, so that the result can be piped. */
export function terminalInput(signal: AbortSignal): Input {
  const { stdin, stderr } = process;
  return {
    isTTY: stdin.isTTY === true,
    read: () => text(stdin),
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

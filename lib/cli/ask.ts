import type { Call } from './command.ts';
import { Failure, UsageError } from './errors.ts';

/**
 * Asks for a secret at the terminal, else reads it from standard input. It is never an argument: other users of the
 * machine see the arguments of a process.
 */
export async function readSecret({ stdin }: Pick<Call, 'stdin'>, what: string): Promise<string> {
  if (stdin.isTTY) return stdin.ask(`${what} (not shown): `, { hidden: true });
  return (await stdin.read()).replace(/\r?\n$/, '');
}

/** Asks the user to type a name before it is removed, unless `--yes` is given. `effect` is the sentence before that. */
export async function confirmName({ args, stdin }: Call, name: string, effect: string): Promise<void> {
  if (args.flag('yes')) return;
  if (!stdin.isTTY) throw new UsageError('There is no terminal to ask at: --yes removes without asking.');
  const answer = await stdin.ask(`${effect} Type the name to go on: `);
  if (answer.trim() !== name) throw new Failure('Nothing was removed: that is not the name.');
}

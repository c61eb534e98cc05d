/** The environment and output of a command. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a line for the user. */
  readonly print: (line: string) => void;
  /** Writes a line that is not part of the output. */
  readonly warn?: (line: string) => void;
  /** Whether the output is a terminal, which shows colours. */
  readonly terminal?: boolean;
  /** Ends a command that runs until it is interrupted; default: Ctrl-C. */
  readonly signal?: AbortSignal;
}

/** A command: returns the exit code. Throws a `UsageError`, or an Error whose message is one sentence for the user. */
export type Command = (args: readonly string[], context: CommandContext) => Promise<number>;

/** The arguments of a command are wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

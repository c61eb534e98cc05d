/** What a command works with; a test brings its own. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a line for the user. */
  readonly print: (line: string) => void;
  /** Writes a line that is not part of the output. */
  readonly warn?: (line: string) => void;
  /** Whether the output goes to a terminal, where colours are welcome. */
  readonly terminal?: boolean;
  /** Ends a command that would go on forever; by default Ctrl-C does. */
  readonly signal?: AbortSignal;
}

/** A command of the command line: gives the exit code, or throws a `UsageError`, or an Error with one plain sentence. */
export type Command = (args: readonly string[], context: CommandContext) => Promise<number>;

/** The command was called in a way that it does not know; the message says what is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

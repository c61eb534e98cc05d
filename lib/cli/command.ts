import type { Screen } from '../terminal/draw.ts';
import type { Arguments } from './program/arguments.ts';

export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that the user stands in. */
  readonly folder: string;
  readonly stdin: Input;
  readonly stdout: Output;
  /** Questions, progress and errors; standard output has the result only. */
  readonly stderr: Output;
  /** Aborts on Ctrl-C, and when the reader of the output has closed it. */
  readonly signal: AbortSignal;
}

/** An output that takes the bytes of a command too. */
interface Output extends Screen {
  write(text: string | Uint8Array): void;
}

export interface Input {
  readonly isTTY: boolean;
  read(): Promise<string>;
  /** Yields it as it comes; the signal ends that, and it cannot be read any more then. */
  chunks(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Asks at the terminal and returns the answer, which is not shown while typed when `hidden`. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string>;
}

/** A call of a command: its arguments, and where it runs. */
export interface Call extends CommandContext {
  readonly args: Arguments;
  /** Writes a line of the result. */
  readonly print: (line: string) => void;
  /** Writes a line that is not part of the result. */
  readonly warn: (line: string) => void;
}

/** An argument of a command, as commander writes it: `<required>`, `[optional]`, `[several...]`. */
interface ArgumentDefinition {
  readonly name: string;
  readonly about: string;
}

/** An option of a command, as commander writes it: `--yes`, `--lines <n>`. */
export interface OptionDefinition {
  readonly flags: string;
  readonly about: string;
}

/** A line to type, and what it does. */
type Example = readonly [line: string, about: string];

/** A command: help and the README are made from this. */
export interface CommandDefinition {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** Sentences below the usage. */
  readonly details?: string;
  readonly args?: readonly ArgumentDefinition[];
  readonly options?: readonly OptionDefinition[];
  readonly examples: readonly Example[];
  /** The first one runs when none is named. */
  readonly subcommands?: readonly CommandDefinition[];
  /**
   * Returns the exit code. Throws a `UsageError`, or an Error whose message is one sentence for the user. Absent for a
   * command that has subcommands.
   */
  readonly run?: (call: Call) => Promise<number>;
}

export const JSON_OPTION: OptionDefinition = { flags: '--json', about: 'print JSON, one object a line' };

/** The options of all commands that call the service. */
export const SERVICE_OPTIONS: readonly OptionDefinition[] = [
  { flags: '--url <address>', about: 'address of the service (or HOOKS_URL)' },
  { flags: '--user <name>', about: 'user name there (or HOOKS_USER)' },
];

export const APP_OPTION: OptionDefinition = {
  flags: '-a, --app <name>',
  about: "the application; default: the name in this folder's package.json",
};

export const APP_ARGUMENT: ArgumentDefinition = {
  name: '[application]',
  about: "default: the name in this folder's package.json",
};

/** Returns the options of a command: what can be named by its position can be by `--app` too. */
export function optionsOf({ args = [], options = [] }: CommandDefinition): readonly OptionDefinition[] {
  const named = args.find(({ name }) => name === APP_ARGUMENT.name);
  return named ? [...options, { ...APP_OPTION, about: `the same as ${APP_ARGUMENT.name}` }] : options;
}

/** Exit codes, as the README documents them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, incomplete: 3, interrupted: 130 } as const;

import { Command, CommanderError } from 'commander';
import { hasCode } from '../../files/errors.ts';
import { APP_ARGUMENT, type Call, type CommandContext, type CommandDefinition, EXIT, optionsOf } from '../command.ts';
import { UsageError } from '../errors.ts';
import { Arguments } from './arguments.ts';

/** The commands of the help, below a title. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandDefinition[];
}

interface ProgramOptions {
  readonly groups: readonly CommandGroup[];
  readonly version: string;
}

const ABOUT = `Deploys and operates the applications of a Deployment Webhooks service: the one that runs on this machine
("hooks start"), or the one of "hooks login".`;

const AFTER = `
Every command explains itself: hooks <command> --help
My push did nothing: hooks status`;

const MAX_HELP_WIDTH = 110;

/** The reason of an abort: the reader of the output has gone. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/**
 * Runs the command that the arguments name and returns the exit code. Errors are written to standard error as one
 * sentence: nothing is thrown.
 */
export async function runProgram(
  argv: readonly string[],
  context: CommandContext,
  options: ProgramOptions,
): Promise<number> {
  const outcome = { code: EXIT.ok as number };
  const program = commander(context, options, outcome);
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync([...argv], { from: 'user' });
    return outcome.code;
  } catch (error) {
    // Commander has written its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (context.signal.aborted) return context.signal.reason instanceof OutputClosed ? EXIT.ok : EXIT.interrupted;
    context.stderr.write(`error: ${sentenceOf(error)}\n`);
    return EXIT.failed;
  }
}

/** Explains EACCES: most files of the service on this machine are for its user only. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!hasCode(error, 'EACCES') || !('path' in error)) return error.message;
  return `${error.path} cannot be used by you: run this as the user of the service.`;
}

type Outcome = { code: number };

function commander(context: CommandContext, { groups, version }: ProgramOptions, outcome: Outcome): Command {
  const width = (columns: number | undefined) => Math.min(columns ?? MAX_HELP_WIDTH, MAX_HELP_WIDTH);
  const program = new Command('hooks')
    .description(paragraphs(ABOUT))
    .usage('<command> [arguments] [options]')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      getOutHelpWidth: () => width(context.stdout.columns),
      getErrHelpWidth: () => width(context.stderr.columns),
    })
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'explain the command')
    .addHelpText('after', AFTER)
    .showHelpAfterError('Usage: hooks <command> … ("hooks --help" lists the commands)');
  program.addHelpCommand(
    program
      .createCommand('help')
      .argument('[command]')
      .summary('Explain a command')
      .helpOption(false)
      .helpGroup('Set up:'),
  );
  for (const { title, commands } of groups) {
    for (const command of commands) add(program, command, { context, outcome }).helpGroup(`${title}:`);
  }
  return program;
}

interface Surroundings {
  readonly context: CommandContext;
  readonly outcome: Outcome;
}

function add(parent: Command, definition: CommandDefinition, surroundings: Surroundings, isDefault = false): Command {
  const { name, summary, details = '', args = [], subcommands = [], examples, run } = definition;
  const command = parent
    .command(name, { isDefault })
    .summary(summary)
    .description(
      paragraphs(`${summary}.

${details}`),
    );
  for (const { name: argument, about } of args) command.argument(argument, about);
  for (const { flags, about } of optionsOf(definition)) command.option(flags, about);
  const title = titleOf(command);
  command
    .addHelpText('after', examplesText(examples))
    .showHelpAfterError(`Usage: ${title} ${command.usage()}\n"${title} --help" explains it.`);
  subcommands.forEach((one, index) => {
    add(command, one, surroundings, index === 0);
  });
  const appPlace = args.findIndex((one) => one.name === APP_ARGUMENT.name);
  if (run) command.action((...values) => act(run, { command, appPlace }, values, surroundings));
  return command;
}

async function act(
  run: NonNullable<CommandDefinition['run']>,
  { command, appPlace }: { readonly command: Command; readonly appPlace: number },
  values: readonly unknown[],
  { context, outcome }: Surroundings,
): Promise<void> {
  const { stdout, stderr } = context;
  const call: Call = {
    ...context,
    // Commander adds the options and the command to the arguments.
    args: new Arguments(values.slice(0, -2), command.opts(), appPlace),
    print: (line) => stdout.write(`${line}\n`),
    warn: (line) => stderr.write(`${line}\n`),
  };
  try {
    outcome.code = await run(call);
  } catch (error) {
    if (error instanceof UsageError) command.error(`error: ${error.message}`, { exitCode: EXIT.usage });
    throw error;
  }
}

/** Returns the command as it is typed: `hooks env set`. */
function titleOf(command: Command): string {
  const names: string[] = [];
  for (let one: Command | null = command; one; one = one.parent) names.unshift(one.name());
  return names.join(' ');
}

function examplesText(examples: CommandDefinition['examples']): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  return ['', 'Examples:', ...examples.map(([line, about]) => `  ${line.padEnd(width)}   ${about}`)].join('\n');
}

/** Returns a text wrapped to the width of the terminal; the lines of a table stay. */
function paragraphs(text: string): string {
  const all = text.trim().split(/\n{2,}/);
  return all
    .map((one) => {
      const lines = one.split('\n').map((line) => line.trim());
      const isTable = lines.length > 1 && lines.every((line) => / {2}/.test(line));
      return lines.join(isTable ? '\n' : ' ');
    })
    .join('\n\n');
}

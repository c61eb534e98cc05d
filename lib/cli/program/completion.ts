import { APP_ARGUMENT, type Call, type CommandDefinition, optionsOf } from '../command.ts';
import { UsageError } from '../errors.ts';
import { allApplications } from '../service/application.ts';
import { findApi } from '../service/find-service.ts';
import type { CommandGroup } from './program.ts';

/** The words that may follow a command: subcommands, values and options. */
interface Completed {
  /** The command as typed, without `hooks`: `env set`; empty for the program itself. */
  readonly path: string;
  readonly words: readonly Word[];
  /** Whether the name of an application may follow. */
  readonly takesApp: boolean;
}

type Word = readonly [text: string, about: string];

const HELP: Word = ['--help', 'explain the command'];

/** Prints the names of the applications, one a line, and nothing where they cannot be had. */
const APPS = 'hooks completion apps 2>/dev/null';

/** The completion scripts by shell; each is made from the table of commands. */
const completionScripts: Readonly<Record<string, (commands: readonly CommandDefinition[]) => string>> = {
  bash: (commands) => `# hooks: completion for bash
_hooks() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word words="" apps=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths(commands).map(quoted).join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases(commands, (words) => `words=${quoted(words.map(([text]) => text).join(' '))}`)}
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in -a|--app) words="" apps=yes ;; esac
  if [[ -n $apps && $current != -* ]]; then words="$words $(${APPS})"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _hooks hooks
`,
  zsh: (commands) => `#compdef hooks
# hooks: completion for zsh
_hooks() {
  local path_="" word apps_=""
  local -a words_
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${path_:+$path_ }$word" in
      ${paths(commands).map(quoted).join('|')}) path_="\${path_:+$path_ }$word" ;;
    esac
  done
  case "$path_" in
${cases(commands, (words) => `words_=(${words.map(described).join(' ')})`, 'apps_')}
  esac
  case "$words[CURRENT-1]" in -a|--app) words_=() apps_=yes ;; esac
  if [[ -n $apps_ && $PREFIX != -* ]]; then words_+=(\${(f)"$(${APPS})"}); fi
  _describe 'hooks' words_
  _files
}
compdef _hooks hooks
`,
  fish: (commands) => `# hooks: completion for fish
${all(commands).flatMap(fishLines).join('\n')}
`,
};

function cases(
  commands: readonly CommandDefinition[],
  assign: (words: readonly Word[]) => string,
  apps = 'apps',
): string {
  return all(commands)
    .map(({ path, words, takesApp }) => `    ${quoted(path)}) ${assign(words)}${takesApp ? ` ${apps}=yes` : ''} ;;`)
    .join('\n');
}

/** For zsh, where a colon separates a word from its description. */
function described([text, about]: Word): string {
  return quoted(`${text.replaceAll(':', '\\:')}:${about}`);
}

function fishLines({ path, words, takesApp }: Completed): string[] {
  const names = path.split(' ').filter(Boolean);
  const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`).join('; and ');
  const condition = names.length === 0 ? '__fish_use_subcommand' : seen;
  const complete = `complete -c hooks -n ${fishQuoted(condition)}`;
  const lines = words.map(([text, about]) => {
    const option = `-l ${text.slice(2)}${text === '--app' ? ` -s a -x -a '(${APPS})'` : ''}`;
    return `${complete} ${text.startsWith('--') ? option : `-a ${fishQuoted(text)}`} -d ${fishQuoted(about)}`;
  });
  return takesApp ? [...lines, `${complete} -a '(${APPS})' -d application`] : lines;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function paths(commands: readonly CommandDefinition[]): string[] {
  return all(commands).flatMap(({ path }) => (path === '' ? [] : [path]));
}

/** Returns all commands with the words that may follow, the program itself first. */
function all(commands: readonly CommandDefinition[]): readonly Completed[] {
  const names: Word[] = commands.map(({ name, summary }) => [name, summary]);
  return [
    { path: '', words: [...names, ['--version', 'print the version'], HELP], takesApp: false },
    ...commands.flatMap((one) => below(one, '')),
  ];
}

function below(definition: CommandDefinition, parent: string): Completed[] {
  const { name, args = [], subcommands = [] } = definition;
  const path = `${parent} ${name}`.trim();
  const names: Word[] = subcommands.map((one) => [one.name, one.summary]);
  const values: Word[] = args.flatMap(({ values: known = [], about }) => known.map((value): Word => [value, about]));
  const first = subcommands[0];
  const options = [...optionsOf(definition), ...(first ? optionsOf(first) : [])];
  const flags: Word[] = options.map(({ flags: text, about }) => [/--[\w-]+/.exec(text)?.[0] ?? text, about]);
  const takesApp = args.some((one) => one.name === APP_ARGUMENT.name);
  return [
    { path, words: [...names, ...values, ...flags, HELP], takesApp },
    ...subcommands.flatMap((one) => below(one, path)),
  ];
}

/** Returns a string quoted as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Longer than a service on another machine takes to answer; the user waits for it after each Tab. */
const LIMIT_MS = 2_000;

/** Returns the command that prints the completion of a shell, for these commands and itself. */
export function completionCommand(groups: () => readonly CommandGroup[]): CommandDefinition {
  const shells = Object.keys(completionScripts);
  return {
    name: 'completion',
    summary: 'Print the completion of commands, options and applications for a shell',
    args: [{ name: '<shell>', about: shells.join(', '), values: shells }],
    examples: [
      ['source <(hooks completion bash)', 'in ~/.bashrc'],
      ['source <(hooks completion zsh)', 'in ~/.zshrc, below compinit'],
      ['hooks completion fish | source', 'in ~/.config/fish/config.fish'],
    ],
    run: async (call) => {
      const { args, stdout } = call;
      if (args.at(0) === 'apps') return printNames(call);
      const script = new Map(Object.entries(completionScripts)).get(args.at(0) ?? '');
      if (!script) throw new UsageError(`There is a completion for ${shells.join(', ')}, not for "${args.at(0)}".`);
      stdout.write(script(groups().flatMap(({ commands }) => commands)));
      return 0;
    },
  };
}

/** Prints the names of applications for the completion scripts. */
async function printNames(call: Call): Promise<number> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(LIMIT_MS)]);
  const { apps } = await allApplications(await findApi({ ...call, signal }));
  for (const { name } of apps) call.print(name);
  return 0;
}

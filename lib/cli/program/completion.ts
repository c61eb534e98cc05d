import type { CommandDefinition } from '../command.ts';

/** The words that may follow a command: subcommands, values and options. */
interface Completed {
  /** The command as typed, without `hooks`: `env set`; empty for the program itself. */
  readonly path: string;
  readonly words: readonly Word[];
}

type Word = readonly [text: string, about: string];

const HELP: Word = ['--help', 'explain the command'];

/** The completion scripts by shell; each is made from the table of commands. */
export const completionScripts: Readonly<Record<string, (commands: readonly CommandDefinition[]) => string>> = {
  bash: (commands) => `# hooks: completion for bash
_hooks() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths(commands).map(quoted).join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases(commands, (text) => `words=${quoted(text)}`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _hooks hooks
`,
  zsh: (commands) => `#compdef hooks
# hooks: completion for zsh
_hooks() {
  local path_="" word
  local -a words_
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${path_:+$path_ }$word" in
      ${paths(commands).map(quoted).join('|')}) path_="\${path_:+$path_ }$word" ;;
    esac
  done
  case "$path_" in
${zshCases(commands)}
  esac
  _describe 'hooks' words_
  _files
}
compdef _hooks hooks
`,
  fish: (commands) => `# hooks: completion for fish
${all(commands).flatMap(fishLines).join('\n')}
`,
};

function cases(commands: readonly CommandDefinition[], assign: (words: string) => string): string {
  return all(commands)
    .map(({ path, words }) => `    ${quoted(path)}) ${assign(words.map(([text]) => text).join(' '))} ;;`)
    .join('\n');
}

function zshCases(commands: readonly CommandDefinition[]): string {
  // A colon separates a word from its description.
  const one = ([text, about]: Word) => quoted(`${text.replaceAll(':', '\\:')}:${about}`);
  return all(commands)
    .map(({ path, words }) => `    ${quoted(path)}) words_=(${words.map(one).join(' ')}) ;;`)
    .join('\n');
}

function fishLines({ path, words }: Completed): string[] {
  const names = path.split(' ').filter(Boolean);
  const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`).join('; and ');
  const condition = names.length === 0 ? '__fish_use_subcommand' : seen;
  return words.map(([text, about]) => {
    const word = text.startsWith('--') ? `-l ${text.slice(2)}` : `-a ${fishQuoted(text)}`;
    return `complete -c hooks -n ${fishQuoted(condition)} ${word} -d ${fishQuoted(about)}`;
  });
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function paths(commands: readonly CommandDefinition[]): string[] {
  return all(commands).flatMap(({ path }) => (path === '' ? [] : [path]));
}

/** Returns all commands with the words that may follow, the program itself first. */
function all(commands: readonly CommandDefinition[]): readonly Completed[] {
  const own: Word[] = commands.map(({ name, summary }) => [name, summary]);
  return [
    { path: '', words: [...own, ['--version', 'print the version'], HELP] },
    ...commands.flatMap((one) => below(one, '')),
  ];
}

function below({ name, args = [], options = [], subcommands = [] }: CommandDefinition, parent: string): Completed[] {
  const path = `${parent} ${name}`.trim();
  const names: Word[] = subcommands.map((one) => [one.name, one.summary]);
  const values: Word[] = args.flatMap(({ values: known = [], about }) => known.map((value): Word => [value, about]));
  const first = subcommands[0]?.options ?? [];
  const flags: Word[] = [...options, ...first].map(({ flags: text, about }) => [text.split(/[ ,]/)[0] ?? text, about]);
  return [{ path, words: [...names, ...values, ...flags, HELP] }, ...subcommands.flatMap((one) => below(one, path))];
}

/** Returns a string quoted as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

import type { CommandDefinition } from '../../../lib/cli/command.ts';
import type { CommandGroup } from '../../../lib/cli/program/program.ts';
import { table } from './markdown.ts';

/** Returns the generated parts of the command line's README, by the name in their markers. */
export function cliDocs(groups: readonly CommandGroup[]): Readonly<Record<string, string>> {
  return { commands: groups.map(({ title, commands }) => `### ${title}\n\n${commandTable(commands)}`).join('\n\n') };
}

function commandTable(commands: readonly CommandDefinition[]): string {
  const all = commands.flatMap((one) => rows(one, ''));
  return table(
    ['command', 'what it does', 'example'],
    all.map(({ title, about, example }) => [title, about, example]),
  );
}

function rows(one: CommandDefinition, parent: string): ReturnType<typeof named>[] {
  const path = `${parent} ${one.name}`.trim();
  return one.subcommands ? one.subcommands.flatMap((sub) => rows(sub, path)) : [named(one, parent)];
}

function named({ name, args = [], summary, examples }: CommandDefinition, parent: string) {
  const title = [parent, name, ...args.map((one) => one.name)].filter(Boolean).join(' ');
  return { title: `\`${title}\``, about: summary, example: `\`${(examples[0]?.[0] ?? '').replaceAll('|', '\\|')}\`` };
}

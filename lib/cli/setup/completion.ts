import type { CommandDefinition } from '../command.ts';
import { UsageError } from '../errors.ts';
import { completionScripts } from '../program/completion.ts';
import type { CommandGroup } from '../program/program.ts';

/** Returns the command that prints the completion of a shell, for these commands and itself. */
export function completionCommand(groups: () => readonly CommandGroup[]): CommandDefinition {
  const shells = Object.keys(completionScripts);
  return {
    name: 'completion',
    summary: 'Print the completion of commands and options for a shell',
    args: [{ name: '<shell>', about: shells.join(', '), values: shells }],
    examples: [
      ['source <(hooks completion bash)', 'in ~/.bashrc'],
      ['source <(hooks completion zsh)', 'in ~/.zshrc, below compinit'],
      ['hooks completion fish | source', 'in ~/.config/fish/config.fish'],
    ],
    run: async ({ args, stdout }) => {
      const script = new Map(Object.entries(completionScripts)).get(args.at(0) ?? '');
      if (!script) throw new UsageError(`There is a completion for ${shells.join(', ')}, not for "${args.at(0)}".`);
      stdout.write(script(groups().flatMap(({ commands }) => commands)));
      return 0;
    },
  };
}

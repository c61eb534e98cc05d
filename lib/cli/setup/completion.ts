import type { Call, CommandDefinition } from '../command.ts';
import { UsageError } from '../errors.ts';
import { completionScripts } from '../program/completion.ts';
import type { CommandGroup } from '../program/program.ts';
import { allApplications } from '../service/application.ts';
import { findApi } from '../service/find-service.ts';

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

/** What the scripts call for the names of applications. */
async function printNames(call: Call): Promise<number> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(LIMIT_MS)]);
  const { apps } = await allApplications(await findApi({ ...call, signal }));
  for (const { name } of apps) call.print(name);
  return 0;
}

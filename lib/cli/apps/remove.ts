import { APP_ARGUMENT, type Call, type CommandDefinition } from '../command.ts';
import { OPERATION_OPTIONS, operate } from '../deploy/operation.ts';
import { Failure, UsageError } from '../errors.ts';
import { api } from '../service/api.ts';
import { oneApplication } from '../service/application.ts';
import { findService } from '../service/find-service.ts';
import { appName } from './app-name.ts';

export const remove: CommandDefinition = {
  name: 'remove',
  summary: 'Remove an application with its releases, variables and files',
  details:
    'Asks for its name. The repository and the entries of the log stay; the name is free for another repository.',
  args: [APP_ARGUMENT],
  options: [{ flags: '--yes', about: 'do not ask' }, ...OPERATION_OPTIONS],
  examples: [
    ['hooks remove shop', 'asks to type "shop"'],
    ['hooks remove shop --yes', 'in a script'],
  ],
  run: async (call) => {
    const client = api(await findService(call), call.signal);
    const { name } = await oneApplication(client, await appName(call));
    await confirm(call, name);
    const request = { path: ['apps', client.service.user, name] };
    return operate(call, client, { method: 'DELETE', request, done: `${name} is removed.` });
  },
};

async function confirm({ args, stdin }: Call, name: string): Promise<void> {
  if (args.flag('yes')) return;
  if (!stdin.isTTY) throw new UsageError('There is no terminal to ask at: --yes removes without asking.');
  const answer = await stdin.ask(`This removes ${name}, its variables and its files. Type its name to go on: `);
  if (answer.trim() !== name) throw new Failure('Nothing was removed: that is not its name.');
}

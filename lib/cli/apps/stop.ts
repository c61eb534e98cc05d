import { APP_ARGUMENT, type CommandDefinition } from '../command.ts';
import { OPERATION_OPTIONS, operate } from '../deploy/operation.ts';
import { api } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import { appName } from './app-name.ts';

export const stop: CommandDefinition = {
  name: 'stop',
  summary: 'Stop an application; its releases, variables and log stay',
  details: '"hooks restart" starts it again, and so does the next push.',
  args: [APP_ARGUMENT],
  options: OPERATION_OPTIONS,
  examples: [['hooks stop shop', 'its address stays, and answers 503']],
  run: async (call) => {
    const client = api(await findService(call), call.signal);
    const app = await appName(call, call.args.at(0));
    const request = { path: ['apps', client.service.user, app, 'stop'] };
    return operate(call, client, { request, done: `${app} is stopped.` });
  },
};

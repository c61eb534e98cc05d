import { APP_ARGUMENT, type CommandDefinition } from '../command.ts';
import { OPERATION_OPTIONS, operate } from '../deploy/operation.ts';
import { api } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import { appName } from './app-name.ts';

export const restart: CommandDefinition = {
  name: 'restart',
  summary: 'Start an application again, also one that was stopped or has crashed',
  details: 'The old process keeps answering until the new one does.',
  args: [APP_ARGUMENT],
  options: OPERATION_OPTIONS,
  examples: [['hooks restart shop', 'ends when shop answers again']],
  run: async (call) => {
    const client = api(await findService(call), call.signal);
    const app = await appName(call, call.args.at(0));
    return operate(call, client, { request: { path: ['apps', client.service.user, app, 'restart'] } });
  },
};

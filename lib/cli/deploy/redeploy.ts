import { appName } from '../apps/app-name.ts';
import { APP_ARGUMENT, type CommandDefinition } from '../command.ts';
import { api } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import { OPERATION_OPTIONS, operate } from './operation.ts';

export const redeploy: CommandDefinition = {
  name: 'redeploy',
  summary: 'Deploy the commit of the newest deploy once more, from the repository host',
  details: 'Also of one that failed: tries it again without a push. It does not wait for CI.',
  args: [APP_ARGUMENT],
  options: OPERATION_OPTIONS,
  examples: [['hooks redeploy shop', 'builds and starts the same commit of shop again']],
  run: async (call) => {
    const client = api(await findService(call), call.signal);
    const app = await appName(call, call.args.at(0));
    return operate(call, client, { request: { path: ['apps', client.service.user, app, 'redeploy'] } });
  },
};

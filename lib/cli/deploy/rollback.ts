import { idOf } from '../../client/entry.ts';
import { appName } from '../apps/app-name.ts';
import { APP_OPTION, type Call, type CommandDefinition } from '../command.ts';
import { api } from '../service/api.ts';
import { findEntry } from '../service/find-entry.ts';
import { findService } from '../service/find-service.ts';
import { OPERATION_OPTIONS, operate } from './operation.ts';

export const rollback: CommandDefinition = {
  name: 'rollback',
  summary: 'Go back to the deploy before, or to the one of an entry',
  details: `Starts what was built then; the repository host is not needed. The next push replaces it. "hooks apps --json"
lists the entries that an application can go back to.`,
  args: [{ name: '[entry]', about: 'the entry to go back to; default: the deploy before the live one' }],
  options: [APP_OPTION, ...OPERATION_OPTIONS],
  examples: [
    ['hooks rollback', "the application of this folder's package.json, one deploy back"],
    ['hooks rollback 12', 'the application of entry #12, to what that entry deployed'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { args } = call;
  const client = api(await findService(call), call.signal);
  const name = args.at(0);
  const entry = name === undefined ? null : await findEntry(client, name);
  const app = await appName(call, args.app() ?? entry?.app_name ?? undefined);
  const request = {
    path: ['apps', client.service.user, app, 'rollback'],
    query: { to: entry ? idOf(entry) : undefined },
  };
  return operate(call, client, { request });
}

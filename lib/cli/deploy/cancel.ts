import { type Entry, hasEnded, idOf, numberOf, subjectOf } from '../../client/entry.ts';
import { packageName } from '../apps/app-name.ts';
import { APP_OPTION, type Call, type CommandDefinition, EXIT, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { Failure } from '../errors.ts';
import { type Api, api } from '../service/api.ts';
import { entryJson, entryOf, logPage } from '../service/entry.ts';
import { findEntry } from '../service/find-entry.ts';
import { findService } from '../service/find-service.ts';

const PAGE_SIZE = 100;

export const cancel: CommandDefinition = {
  name: 'cancel',
  summary: 'End a deploy that is queued, held or running, with its build',
  details: 'What was live stays live. A deploy whose application is being started cannot be cancelled.',
  args: [
    {
      name: '[entry]',
      about:
        "the entry: its number (#12), id or address; default: the newest unfinished one of this folder's application, else of all",
    },
  ],
  options: [APP_OPTION, JSON_OPTION, ...SERVICE_OPTIONS],
  examples: [
    ['hooks cancel', 'ends the deploy that was pushed last'],
    ['hooks cancel 12', 'ends #12'],
  ],
  run: async (call) => {
    const client = api(await findService(call), call.signal);
    const name = call.args.at(0);
    const id = idOf(name === undefined ? await newest(call, client) : await findEntry(client, name));
    const path = ['status', client.service.user, 'changes', id, 'cancel'];
    const entry = entryOf(await client.send('POST', { path }));
    call.print(call.args.flag('json') ? entryJson(entry) : `#${numberOf(entry)} ${ended(entry)}`);
    return EXIT.ok;
  },
};

function ended(entry: Entry): string {
  return `${subjectOf(entry)} is ${entry.status}.`;
}

/** A folder that is not deployed may have a package.json too: then the newest of all is meant. */
async function newest({ args, folder }: Call, client: Api): Promise<Entry> {
  const { rows } = await logPage(client, { limit: PAGE_SIZE });
  const named = args.app();
  const app = named ?? (await packageName(folder));
  const own = app === null ? [] : rows.filter(({ app_name }) => app_name === app);
  const isOfOne = own.length > 0 || named !== undefined;
  const found = (isOfOne ? own : rows).find((row) => !hasEnded(row));
  if (found) return found;
  throw new Failure(`No deploy${isOfOne ? ` of ${app}` : ''} is unfinished: there is nothing to cancel.`);
}

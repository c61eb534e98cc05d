import { type Entry, idOf, numberOf } from '../../client/entry.ts';
import { packageName } from '../apps/app-name.ts';
import { APP_OPTION, type Call, type CommandDefinition, SERVICE_OPTIONS } from '../command.ts';
import { Failure } from '../errors.ts';
import type { Api } from '../service/api.ts';
import { logPage } from '../service/entry.ts';
import { findEntry } from '../service/find-entry.ts';
import { findApi } from '../service/find-service.ts';
import { printOutput } from './print-output.ts';

export const buildLog: CommandDefinition = {
  name: 'build-log',
  summary: 'Print what the build of a deploy printed: installation, build script',
  args: [{ name: '[entry]', about: 'its number (#12), id or address; default: the newest deploy' }],
  options: [
    APP_OPTION,
    { flags: '-f, --follow', about: 'while it builds, go on until it has ended' },
    { flags: '--timestamps', about: 'the time before each line' },
    { flags: '--json', about: 'one JSON object a line: at, stream, line' },
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks build-log', "the newest build of the application of this folder's package.json, else of all"],
    ['hooks build-log 12', 'the build of #12'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { args, stderr, warn } = call;
  const follow = args.flag('follow');
  const client = await findApi(call);
  const name = args.at(0);
  const entry = name === undefined ? await newestDeploy(call, client) : await findEntry(client, name);
  if (stderr.isTTY) warn(`The build of #${numberOf(entry)} (${entry.app_name ?? entry.commit ?? entry.status}):`);
  const path = ['status', client.user, 'changes', idOf(entry), 'build-log'];
  const printed = await printOutput(call, client, { request: { path }, follow });
  if (printed === 0)
    warn(`The build of #${numberOf(entry)} has printed nothing: there was nothing to install or to build.`);
  return 0;
}

/** A folder that is not deployed may have a package.json too: then the newest of all is meant. */
async function newestDeploy({ args, folder }: Call, client: Api): Promise<Entry> {
  const app = args.app() ?? (await packageName(folder)) ?? undefined;
  const { rows } = await logPage(client, { app });
  const isComing = ({ status }: Entry) => args.flag('follow') && ['queued', 'running'].includes(status);
  const found = rows.find((one) => isComing(one) || one.doc?.stages.some(({ name }) => name === 'extract'));
  if (found) return found;
  throw new Failure(`Nothing was built yet${app === undefined ? '' : ` for ${app}`}: "hooks status" shows the log.`);
}

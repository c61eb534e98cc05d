import { type Entry, idOf, numberOf } from '../../client/entry.ts';
import { APP_OPTION, type Call, type CommandDefinition, SERVICE_OPTIONS } from '../command.ts';
import { chosenEntry, entryOrApp } from '../service/find-entry.ts';
import { findApi } from '../service/find-service.ts';
import { printOutput } from './print-output.ts';

export const buildLog: CommandDefinition = {
  name: 'build-log',
  summary: 'Print what the build of a deploy printed: installation, build script',
  args: [{ name: '[entry]', about: entryOrApp('build') }],
  options: [
    APP_OPTION,
    { flags: '-f, --follow', about: 'while it builds, go on until it has ended' },
    { flags: '--timestamps', about: 'the time before each line' },
    { flags: '--json', about: 'one JSON object a line: at, stream, line' },
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks build-log', "the newest build of the application of this folder's package.json, else of all"],
    ['hooks build-log shop', 'the newest build of shop'],
    ['hooks build-log 12', 'the build of #12'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { args, stderr, warn } = call;
  const follow = args.flag('follow');
  const client = await findApi(call);
  const isComing = ({ status }: Entry) => follow && ['queued', 'running'].includes(status);
  const entry = await chosenEntry(call, client, {
    matches: (one) => isComing(one) || one.doc?.stages.some(({ name }) => name === 'extract') === true,
    none: (app) => `Nothing was built yet${app === undefined ? '' : ` for ${app}`}: "hooks status" shows the log.`,
  });
  if (stderr.isTTY) warn(`The build of #${numberOf(entry)} (${entry.app_name ?? entry.commit ?? entry.status}):`);
  const path = ['status', client.user, 'changes', idOf(entry), 'build-log'];
  const printed = await printOutput(call, client, { request: { path }, follow });
  if (printed === 0)
    warn(`The build of #${numberOf(entry)} has printed nothing: there was nothing to install or to build.`);
  return 0;
}

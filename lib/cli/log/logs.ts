import { appName } from '../apps/app-name.ts';
import { APP_ARGUMENT, type Call, type CommandDefinition, SERVICE_OPTIONS } from '../command.ts';
import { api } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import { printOutput } from './print-output.ts';

const DEFAULT_LINES = 100;
const MAX_LINES = 1000;

export const logs: CommandDefinition = {
  name: 'logs',
  summary: 'Print the output of an application',
  details: 'Lines of the platform about the application, such as a crash, begin with "--".',
  args: [APP_ARGUMENT],
  options: [
    { flags: '--follow', about: 'go on with what it prints, until Ctrl-C' },
    { flags: '--lines <n>', about: `number of the last lines; default: ${DEFAULT_LINES}` },
    { flags: '--timestamps', about: 'the time before each line' },
    { flags: '--json', about: 'one JSON object a line: at, stream, line' },
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks logs shop', 'the last lines of shop'],
    ['hooks logs --follow --lines 0', "what the application of this folder's package.json prints from now on"],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { args } = call;
  const lines = args.count('lines', DEFAULT_LINES, { min: 0, max: MAX_LINES });
  const follow = args.flag('follow');
  const client = api(await findService(call), call.signal);
  const app = await appName(call, args.at(0));
  const request = { path: ['apps', client.user, app, 'logs'] };
  const printed = await printOutput(call, client, { request, follow, lines, resumeLines: MAX_LINES });
  if (printed === 0 && lines > 0) call.warn(`${app} has printed nothing.`);
  return 0;
}

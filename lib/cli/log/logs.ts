import { findApp } from '../apps/app-name.ts';
import { APP_ARGUMENT, type Call, type CommandDefinition, SERVICE_OPTIONS } from '../command.ts';
import { UsageError } from '../errors.ts';
import { MAX_LINES, printFound } from './print-found.ts';
import { printOutput } from './print-output.ts';

const DEFAULT_LINES = 100;

export const logs: CommandDefinition = {
  name: 'logs',
  summary: 'Print the output of an application',
  details: `Lines of the platform about the application, such as a crash, begin with "--", those of processes besides web
with their name.`,
  args: [APP_ARGUMENT],
  options: [
    { flags: '-f, --follow', about: 'go on with what it prints, until Ctrl-C' },
    { flags: '-n, --lines <n>', about: `number of the last lines; default: ${DEFAULT_LINES}` },
    { flags: '--since <time>', about: 'what was printed since then: 10m, 2h, 3d, or a time such as 2026-11-23T10:00' },
    { flags: '--grep <text>', about: 'the lines of the stored output that have this text, in whatever case' },
    { flags: '--process <name>', about: 'a process (worker.1) or all of a type (worker, web)' },
    { flags: '--timestamps', about: 'the time before each line' },
    { flags: '--json', about: 'one JSON object a line: at, stream, process, line' },
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks logs shop', 'the last lines of shop'],
    ['hooks logs shop --since 10m', 'what it has printed in the last ten minutes'],
    ['hooks logs shop --grep crash', 'the last lines that have that word'],
    ['hooks logs shop --process worker', 'the last lines of its workers'],
    ['hooks logs --follow --lines 0', "what the application of this folder's package.json prints from now on"],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { args } = call;
  const since = sinceIn(args.text('since'));
  // The service keeps MAX_LINES.
  const usual = since === undefined ? DEFAULT_LINES : MAX_LINES;
  const lines = args.count('lines', usual, { min: 0, max: MAX_LINES });
  const follow = args.flag('follow');
  const grep = args.text('grep');
  if (grep !== undefined && follow) throw new UsageError('--grep searches what is stored: it is not for --follow.');
  const { client, app, path } = await findApp(call);
  const request = { path: [...path, 'logs'], query: { process: args.text('process') } };
  if (grep !== undefined) {
    await printFound(call, client, { request, grep, lines, app, ...(since !== undefined && { since }) });
    return 0;
  }
  const printed = await printOutput(call, client, {
    request,
    follow,
    lines,
    resumeLines: MAX_LINES,
    ...(since !== undefined && { since }),
  });
  if (since !== undefined && printed === MAX_LINES)
    call.warn(`Only the last ${MAX_LINES} lines are looked at; --grep looks further.`);
  if (printed === 0 && lines > 0) call.warn(`${app} has printed nothing.`);
  return 0;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns a time in milliseconds since 1970, which is given as such or as how long ago it was. Throws a `UsageError`. */
function sinceIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Date.now() - Number(count) * (UNIT_MS[unit] ?? 0);
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new UsageError('--since takes a time, such as 10m, 2h, 3d or 2026-11-23T10:00.');
}

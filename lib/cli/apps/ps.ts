import { type CronJob, memoryText, type Process, processesIn } from '../../client/processes.ts';
import { dateTime, type Paint, painter } from '../../terminal/draw.ts';
import { printableJson } from '../../terminal/printable.ts';
import {
  APP_ARGUMENT,
  APP_OPTION,
  type Call,
  type CommandDefinition,
  JSON_OPTION,
  SERVICE_OPTIONS,
} from '../command.ts';
import { UsageError } from '../errors.ts';
import { known } from '../service/api.ts';
import { columns, paintState } from '../text.ts';
import { findApp } from './app-name.ts';

export const ps: CommandDefinition = {
  name: 'ps',
  summary: 'List the processes of an application: state, since when, restarts, memory; and what cron runs',
  details:
    'Each line of its Procfile runs: "web" gets the traffic, "release" runs once for each deploy, others beside. "cron" of its app.json runs at its times, in UTC.',
  args: [APP_ARGUMENT],
  options: [JSON_OPTION, ...SERVICE_OPTIONS],
  examples: [['hooks ps shop', 'a line for each process']],
  run: async (call) => {
    const { client, path } = await findApp(call);
    return show(call, await client.call({ path: [...path, 'processes'] }));
  },
};

export const scale: CommandDefinition = {
  name: 'scale',
  summary: 'Say how many processes of a type run; 0 ends them',
  details: `It is kept over deploys and restarts. Of several "web" processes, that with the fewest open
requests gets the next one. With "web=auto" it ends after ten minutes without a request, and the next request starts it and waits
for that. The other processes and cron run on.`,
  args: [{ name: '<type=count...>', about: 'a name in the Procfile, and how many of it run' }],
  options: [APP_OPTION, JSON_OPTION, ...SERVICE_OPTIONS],
  examples: [
    ['hooks scale worker=2 --app shop', 'two run from now on'],
    ['hooks scale web=4', 'four answer requests'],
    ['hooks scale worker=0', "none, of the application of this folder's package.json"],
    ['hooks scale web=auto', 'it runs only while it is used'],
  ],
  run: async (call) => {
    const body = Object.fromEntries(call.args.several().map(countIn));
    const { client, path } = await findApp(call);
    return show(call, await client.call({ path: [...path, 'processes'], method: 'PATCH', body }));
  },
};

function countIn(text: string): readonly [string, number | 'auto'] {
  const [, type, count] = /^([\w-]+)=(\d{1,4}|auto)$/.exec(text) ?? [];
  if (type !== undefined) return [type, count === 'auto' ? count : Number(count)];
  throw new UsageError(`"${text}" is not like worker=2.`);
}

function show(call: Call, sent: unknown): number {
  const { processes, cron, scale: counts } = known(processesIn(sent));
  if (call.args.flag('json')) {
    call.print(printableJson(sent));
    return 0;
  }
  const paint = painter(call.stdout, call.env);
  for (const line of columns(processes.map((one) => cells(one, paint)))) call.print(line);
  for (const line of columns(cron.map((one) => cronCells(one, paint)))) call.print(line);
  const none = Object.keys(counts).filter((type) => counts[type] === 0);
  if (none.length > 0) call.warn(`No process of ${none.join(', ')} runs: "hooks scale ${none[0]}=1" starts one.`);
  if (counts.web === 'auto') call.warn('web ends after ten minutes without a request, and starts at the next one.');
  if (processes.length === 0 && cron.length === 0 && none.length === 0) call.warn('Nothing has been started yet.');
  return 0;
}

function cells({ name, state, since, restarts, memory, command }: Process, paint: Paint) {
  return [
    name,
    paintState(state, paint),
    since === null ? '-' : `since ${dateTime(since)}`,
    `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`,
    memory === null ? '-' : memoryText(memory),
    paint('dim', command),
  ];
}

function cronCells({ name, schedule, timezone, command, running, last, next }: CronJob, paint: Paint) {
  const exit = last && paint(last.exit === 0 ? 'green' : 'red', `exit code ${last.exit}`);
  return [
    name,
    running === null
      ? next === null
        ? '-'
        : `next ${dateTime(next)}`
      : paint('green', `running since ${dateTime(running)}`),
    last === null ? 'no run yet' : `last ${dateTime(last.at)} ${exit}`,
    timezone === undefined ? schedule : `${schedule} ${timezone}`,
    paint('dim', command),
  ];
}

import type { Application } from '../../client/applications.ts';
import { numberOf } from '../../client/entry.ts';
import { printableJson } from '../../terminal/printable.ts';
import { type Call, type CommandDefinition, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { api } from '../service/api.ts';
import { allApplications } from '../service/application.ts';
import { findService } from '../service/find-service.ts';
import { type Colour, columns, painter } from '../text.ts';

const colours: ReadonlyMap<string, Colour> = new Map([
  ['running', 'green'],
  ['crashed', 'red'],
  ['stopped', 'yellow'],
]);

export const apps: CommandDefinition = {
  name: 'apps',
  summary: 'List the applications: state, address, repository, and the entry that is live',
  options: [JSON_OPTION, ...SERVICE_OPTIONS],
  examples: [
    ['hooks apps', 'a line for each application'],
    ['hooks apps --json', 'with the entries that each can be rolled back to'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { sent, apps: found } = await allApplications(api(await findService(call), call.signal));
  if (call.args.flag('json')) {
    for (const app of sent) call.print(printableJson(app));
    return 0;
  }
  const paint = painter(call);
  const rows = found.map((app) => cells(app, (state) => paint(colours.get(state) ?? 'dim', state)));
  for (const line of columns(rows)) call.print(line);
  if (found.length === 0) call.warn('There is no application yet: "hooks create <name>" and a push make one.');
  return 0;
}

function cells(
  { name, state, url, repository, branch, active }: Application,
  paint: (state: string) => string,
): string[] {
  return [
    name,
    paint(state),
    // An address is kept for an application before its first start, too.
    (state !== 'never' && url) || '-',
    [repository && `${repository.owner}/${repository.name}`, branch].filter(Boolean).join(' ') || '-',
    active ? `#${numberOf(active)}` : '-',
  ];
}

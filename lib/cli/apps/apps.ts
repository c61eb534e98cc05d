import type { Application } from '../../client/applications.ts';
import { numberOf } from '../../client/entry.ts';
import type { Paint } from '../../terminal/draw.ts';
import { printableJson } from '../../terminal/printable.ts';
import { type CommandDefinition, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { allApplications } from '../service/application.ts';
import { findApi } from '../service/find-service.ts';
import { paintState, printList } from '../text.ts';

export const apps: CommandDefinition = {
  name: 'apps',
  summary: 'List the applications: state, address, repository, and the entry that is live',
  options: [JSON_OPTION, ...SERVICE_OPTIONS],
  examples: [
    ['hooks apps', 'a line for each application'],
    ['hooks apps --json', 'with the entries that each can be rolled back to'],
  ],
  run: async (call) => {
    const { sent, apps: rows } = await allApplications(await findApi(call));
    const none = 'There is no application yet: "hooks create <name>" and a push make one.';
    return printList(call, { rows, cells, json: sent.map(printableJson), none });
  },
};

function cells({ name, state, url, repository, branch, active }: Application, paint: Paint): string[] {
  return [
    name,
    paintState(state, paint),
    // An address is kept for an application before its first start, too.
    (state !== 'never' && url) || '-',
    [repository && `${repository.owner}/${repository.name}`, branch].filter(Boolean).join(' ') || '-',
    active ? `#${numberOf(active)}` : '-',
  ];
}

import { type Preview, previewsOf } from '../../client/previews.ts';
import { printableJson } from '../../terminal/printable.ts';
import { APP_ARGUMENT, type Call, type CommandDefinition, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { statusColours } from '../log/entry-line.ts';
import { api } from '../service/api.ts';
import { allApplications } from '../service/application.ts';
import { logPage } from '../service/entry.ts';
import { findService } from '../service/find-service.ts';
import { columns, painter } from '../text.ts';

/** The newest entries, as many as a page of the log may have: in them are the deploys that wait or have failed. */
const LOOKED_AT = 100;

export const previews: CommandDefinition = {
  name: 'previews',
  summary: 'List the previews of pull requests: title, author, branch, state, address',
  args: [{ ...APP_ARGUMENT, about: 'only its previews; default: those of all applications' }],
  options: [JSON_OPTION, ...SERVICE_OPTIONS],
  examples: [['hooks previews shop', 'a line for each pull request of shop that is previewed']],
  run,
};

async function run(call: Call): Promise<number> {
  const parent = call.args.app();
  const service = api(await findService(call), call.signal);
  const { apps } = await allApplications(service, { include_docs: true });
  const { rows } = await logPage(service, { limit: LOOKED_AT });
  const named = apps.find(({ name, app }) => name === parent || app === parent)?.name ?? parent;
  const found = previewsOf(apps, rows).filter(({ preview_of }) => named === undefined || preview_of === named);
  if (call.args.flag('json')) {
    for (const { app: _, entry: __, ...preview } of found) call.print(printableJson(preview));
    return 0;
  }
  const paint = painter(call);
  const lines = found.map((one) => cells(one, (state) => paint(statusColours.get(state) ?? 'dim', state)));
  for (const line of columns(lines)) call.print(line);
  const of = parent === undefined ? '' : ` of ${parent}`;
  const how = '"hooks hook <host> <owner/repository> --previews" has pull requests deployed.';
  if (found.length === 0) call.warn(`There is no preview${of}: ${how}`);
  return 0;
}

function cells({ name, title, author, branch, state, url }: Preview, paint: (state: string) => string): string[] {
  return [name, title || '-', author || '-', branch || '-', paint(state), url ?? '-'];
}

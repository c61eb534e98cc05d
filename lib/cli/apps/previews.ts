import { type Preview, previewsOf } from '../../client/previews.ts';
import type { Paint } from '../../terminal/draw.ts';
import { printableJson } from '../../terminal/printable.ts';
import { APP_ARGUMENT, type Call, type CommandDefinition, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { allApplications } from '../service/application.ts';
import { logPage } from '../service/entry.ts';
import { findApi } from '../service/find-service.ts';
import { paintStatus, printList } from '../text.ts';

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
  const service = await findApi(call);
  const { apps } = await allApplications(service, { include_docs: true });
  // Among the newest entries are the deploys that wait or have failed.
  const { rows } = await logPage(service);
  const named = apps.find(({ name, app }) => name === parent || app === parent)?.name ?? parent;
  const listed = previewsOf(apps, rows).filter(({ preview_of }) => named === undefined || preview_of === named);
  const of = parent === undefined ? '' : ` of ${parent}`;
  const how = '"hooks hook <host> <owner/repository> --previews" has pull requests deployed.';
  const json = listed.map(({ app: _, entry: __, ...preview }) => printableJson(preview));
  return printList(call, { rows: listed, cells, json, none: `There is no preview${of}: ${how}` });
}

function cells({ name, title, author, branch, state, url }: Preview, paint: Paint): string[] {
  return [name, title || '-', author || '-', branch || '-', paintStatus(state, paint), url ?? '-'];
}

import * as v from 'valibot';
import { entryIn } from '../../client/entry.ts';
import { Unreadable } from '../../client/lines.ts';
import { printableJson } from '../../terminal/printable.ts';
import { type Call, type CommandDefinition, EXIT } from '../command.ts';
import { Failure } from '../errors.ts';
import type { Api } from '../service/api.ts';
import { allApplications } from '../service/application.ts';
import { entryOf } from '../service/entry.ts';
import { findApi } from '../service/find-service.ts';
import { follow, OPERATION_OPTIONS } from './operation.ts';

/** The answer when no commit was missed. */
const Nothing = v.looseObject({ app_name: v.string(), reason: v.string() });

export const reconcile: CommandDefinition = {
  name: 'reconcile',
  summary: 'Compare applications with the tips of their branches, and deploy commits whose webhook was missed',
  details:
    'Without an application: all of them. The service does this once an hour. A commit that the log knows is not ' +
    'deployed again, whatever became of it.',
  args: [{ name: '[application]', about: 'its name in package.json; default: all applications' }],
  options: OPERATION_OPTIONS,
  examples: [
    ['hooks reconcile', 'after the service or the repository host was down'],
    ['hooks reconcile shop', 'only shop'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const client = await findApi(call);
  const named = call.args.app();
  if (named !== undefined) return compare(call, client, named);
  let worst: number = EXIT.ok;
  for (const app of await deployed(client)) {
    // One host that does not answer must not keep the others from being compared.
    worst = Math.max(worst, await compare(call, client, app).catch((error) => failed(call, app, error)));
  }
  return worst;
}

async function deployed(client: Api): Promise<readonly string[]> {
  const { apps } = await allApplications(client);
  return apps.flatMap(({ name, state }) => (state === 'never' ? [] : [name]));
}

async function compare(call: Call, client: Api, app: string): Promise<number> {
  const sent = await client.call({ method: 'POST', path: ['apps', client.user, app, 'reconcile'] });
  const nothing = v.safeParse(Nothing, sent);
  if (!nothing.success || entryIn(sent)) return follow(call, client, entryOf(sent));
  call.print(call.args.flag('json') ? printableJson(sent) : `${app}: ${nothing.output.reason}`);
  return EXIT.ok;
}

function failed({ warn }: Call, app: string, error: unknown): number {
  if (!(error instanceof Failure || error instanceof Unreadable)) throw error;
  warn(`${app}: ${error.message}`);
  return EXIT.failed;
}

import * as v from 'valibot';
import { printableJson } from '../../terminal/printable.ts';
import { APP_OPTION, type Call, type CommandDefinition, EXIT, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { api, parsed } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import { columns } from '../text.ts';
import { appName } from './app-name.ts';

const Domain = v.looseObject({
  name: v.string(),
  url: v.nullable(v.string()),
  points_here: v.nullable(v.boolean()),
  note: v.nullable(v.string()),
});
const Domains = v.looseObject({ domains: v.array(Domain) });

const NAME = { name: '<domain>', about: 'such as shop.example.com' };
const OPTIONS = [APP_OPTION, JSON_OPTION, ...SERVICE_OPTIONS];

const list: CommandDefinition = {
  name: 'list',
  summary: 'List the domains of an application, and whether each leads to the service',
  options: OPTIONS,
  examples: [['hooks domains --app shop', 'a line for each']],
  run: async (call) => {
    const { client, path, app } = await start(call);
    const sent = await client.get({ path });
    const { domains: found } = parsed(Domains, sent);
    if (call.args.flag('json')) {
      for (const one of found) call.print(printableJson(one));
      return EXIT.ok;
    }
    const state = { true: 'leads here', false: 'does not lead here', null: 'not known' };
    for (const line of columns(found.map((one) => [one.url ?? one.name, state[`${one.points_here}`]])))
      call.print(line);
    for (const { note } of found) if (note !== null) call.warn(note);
    if (found.length === 0)
      call.warn(`${app} has no domain: "hooks domains add shop.example.com --app ${app}" adds one.`);
    return EXIT.ok;
  },
};

const add: CommandDefinition = {
  name: 'add',
  summary: 'Serve an application at a domain of its own',
  details: 'A name belongs to one application. The first domain is the address in the log and in the output of pushes.',
  args: [NAME],
  options: OPTIONS,
  examples: [['hooks domains add shop.example.com --app shop', 'and say what is missing in DNS']],
  run: async (call) => {
    const { client, path, app } = await start(call);
    const sent = await client.send('PUT', { path: [...path, call.args.at(0) ?? ''] });
    const { name, url, note } = parsed(Domain, sent);
    call.print(call.args.flag('json') ? printableJson(sent) : `${app} answers at ${url ?? name}.`);
    if (note !== null) call.warn(note);
    return EXIT.ok;
  },
};

const remove: CommandDefinition = {
  name: 'remove',
  summary: 'Take a domain from an application',
  args: [NAME],
  options: [APP_OPTION, ...SERVICE_OPTIONS],
  examples: [['hooks domains remove shop.example.com --app shop', 'the name is free again']],
  run: async (call) => {
    const { client, path, app } = await start(call);
    const name = call.args.at(0) ?? '';
    await client.send('DELETE', { path: [...path, name] });
    call.print(`${app} does not answer at ${name} any more.`);
    return EXIT.ok;
  },
};

export const domains: CommandDefinition = {
  name: 'domains',
  summary: 'List, add and remove the domains of an application',
  details:
    'Not on AWS Lambda: there a distribution of CloudFront, or a custom domain of API Gateway, is made in the console.',
  examples: [...list.examples, ...add.examples],
  subcommands: [list, add, remove],
};

async function start(call: Call) {
  const client = api(await findService(call), call.signal);
  const app = await appName(call);
  return { client, app, path: ['apps', client.service.user, app, 'domains'] };
}

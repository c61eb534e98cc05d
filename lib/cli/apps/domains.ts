import { Domain, Domains } from '../../../functions/api/shapes/applications.ts';
import { printableJson } from '../../terminal/printable.ts';
import { APP_OPTION, type CommandDefinition, EXIT, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { parsed } from '../service/api.ts';
import { printList } from '../text.ts';
import { findApp } from './app-name.ts';

const NAME = { name: '<domain>', about: 'such as shop.example.com' };
const OPTIONS = [APP_OPTION, JSON_OPTION, ...SERVICE_OPTIONS];

const list: CommandDefinition = {
  name: 'list',
  summary: 'List the domains of an application, and whether each leads to the service',
  options: OPTIONS,
  examples: [['hooks domains --app shop', 'a line for each']],
  run: async (call) => {
    const { client, path, app } = await findApp(call);
    const { domains: rows } = parsed(Domains, await client.call({ path: [...path, 'domains'] }));
    const state = { true: 'leads here', false: 'does not lead here', null: 'not known' };
    const cells = ({ url, name, points_here, redirect }: Domain) => [
      ...[url ?? name, state[`${points_here}`]],
      ...(redirect === undefined ? [] : [`redirects to ${redirect}`]),
    ];
    const none = `${app} has no domain: "hooks domains add shop.example.com --app ${app}" adds one.`;
    const code = printList(call, { rows, cells, json: rows.map(printableJson), none });
    for (const { note } of rows) if (note !== null && !call.args.flag('json')) call.warn(note);
    return code;
  },
};

const add: CommandDefinition = {
  name: 'add',
  summary: 'Serve an application at a custom domain',
  details:
    'A name belongs to one application. The first domain that is served is the address in the log and in the output of pushes.',
  args: [NAME],
  options: [{ flags: '--redirect <domain>', about: 'redirect it to this domain of the application' }, ...OPTIONS],
  examples: [
    ['hooks domains add shop.example.com --app shop', 'and say what is missing in DNS'],
    ['hooks domains add www.shop.example.com --redirect shop.example.com --app shop', 'with the same path'],
  ],
  run: async (call) => {
    const { client, path, app } = await findApp(call);
    const query = { redirect: call.args.text('redirect') };
    const sent = await client.call({ method: 'PUT', path: [...path, 'domains', call.args.at(0) ?? ''], query });
    const { name, url, redirect, note } = parsed(Domain, sent);
    const at = url ?? name;
    const text = redirect === undefined ? `${app} answers at ${at}.` : `${at} redirects to ${redirect}.`;
    call.print(call.args.flag('json') ? printableJson(sent) : text);
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
    const { client, path, app } = await findApp(call);
    const name = call.args.at(0) ?? '';
    await client.call({ method: 'DELETE', path: [...path, 'domains', name] });
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

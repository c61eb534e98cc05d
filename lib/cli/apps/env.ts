import * as v from 'valibot';
import { dotEnvText } from '../../client/dot-env.ts';
import { keyedBy } from '../../files/state-file.ts';
import { printableJson, printableValue } from '../../terminal/printable.ts';
import {
  APP_ARGUMENT,
  APP_OPTION,
  type Call,
  type CommandDefinition,
  EXIT,
  JSON_OPTION,
  SERVICE_OPTIONS,
} from '../command.ts';
import { parsed } from '../service/api.ts';
import { findApp } from './app-name.ts';
import { importFile, set, unset } from './env-change.ts';

const Answer = v.looseObject({ env: keyedBy(v.string(), v.nullable(v.string())) });

const list: CommandDefinition = {
  name: 'list',
  summary: 'List the variables of an application, their values hidden',
  args: [APP_ARGUMENT],
  options: [{ flags: '--values', about: 'print the values too' }, JSON_OPTION, ...SERVICE_OPTIONS],
  examples: [
    ['hooks env --app shop', 'the names'],
    ['hooks env list --app shop --values', 'with their values'],
  ],
  run: listVariables,
};

const get: CommandDefinition = {
  name: 'get',
  summary: 'Print the value of one variable',
  args: [{ name: '<name>', about: 'the name of the variable' }],
  options: [APP_OPTION, ...SERVICE_OPTIONS],
  examples: [['hooks env get PAGES --app shop', 'its value; exit code 1 when there is none']],
  run: printVariable,
};

const exportAll: CommandDefinition = {
  name: 'export',
  summary: 'Print all variables with their values, as a .env',
  options: [APP_OPTION, ...SERVICE_OPTIONS],
  examples: [['(umask 077 && hooks env export --app shop > .env)', 'a file that only you can read']],
  run: exportVariables,
};

export const env: CommandDefinition = {
  name: 'env',
  summary: 'List, set and delete the environment variables of an application',
  details: 'They stay across deploys, which makes them the place for secrets. They can be set before the first deploy.',
  examples: [...list.examples, ...set.examples, ...importFile.examples],
  subcommands: [list, get, set, unset, importFile, exportAll],
};

async function listVariables(call: Call): Promise<number> {
  const { args, print, warn } = call;
  const values = args.flag('values');
  const { app, sent } = await read(call, values);
  if (args.flag('json')) {
    print(printableJson(sent));
    return EXIT.ok;
  }
  const variables = Object.entries(printableValue(sent.env));
  for (const [name, value] of variables) print(values ? `${name}=${value ?? ''}` : name);
  if (variables.length === 0) warn(`${app} has no variables: "hooks env set NAME=value --app ${app}" sets one.`);
  return EXIT.ok;
}

/** The value as it is, for a program may read it. */
async function printVariable(call: Call): Promise<number> {
  const name = call.args.at(0) ?? '';
  const { app, sent } = await read(call, true);
  const value = Object.hasOwn(sent.env, name) ? sent.env[name] : undefined;
  if (typeof value !== 'string') {
    call.warn(`${app} has no variable of that name: "hooks env --app ${app}" lists what there is.`);
    return EXIT.failed;
  }
  call.stdout.write(`${value}\n`);
  return EXIT.ok;
}

async function exportVariables(call: Call): Promise<number> {
  const { sent } = await read(call, true);
  const values = Object.entries(sent.env).map(([name, value]) => [name, value ?? ''] as const);
  call.stdout.write(dotEnvText(Object.fromEntries(values)));
  return EXIT.ok;
}

/** Returns the application and its variables as the service sent them. */
async function read(call: Call, values: boolean) {
  const { client, path, app } = await findApp(call);
  const sent = await client.call({ path: [...path, 'env'], query: { values: values || undefined } });
  parsed(Answer, sent);
  return { app, sent: v.parse(Answer, sent) };
}

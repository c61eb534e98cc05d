import * as v from 'valibot';
import { fieldsOf } from '../../client/lines.ts';
import { keyedBy } from '../../files/state-file.ts';
import { printableJson } from '../../terminal/printable.ts';
import { APP_OPTION, type Call, type CommandDefinition, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { follow, OPERATION_OPTIONS } from '../deploy/operation.ts';
import { UsageError } from '../errors.ts';
import { type Api, api, parsed } from '../service/api.ts';
import { oneApplication } from '../service/application.ts';
import { entryOf } from '../service/entry.ts';
import { findService } from '../service/find-service.ts';
import { appName } from './app-name.ts';

const Answer = v.looseObject({ env: keyedBy(v.string(), v.nullable(v.string())) });

const NO_RESTART = { flags: '--no-restart', about: 'let the application run on with the old values' };

const list: CommandDefinition = {
  name: 'list',
  summary: 'List the variables of an application, their values hidden',
  options: [{ flags: '--values', about: 'print the values too' }, APP_OPTION, JSON_OPTION, ...SERVICE_OPTIONS],
  examples: [
    ['hooks env --app shop', 'the names'],
    ['hooks env list --app shop --values', 'with their values'],
  ],
  run: listVariables,
};

const set: CommandDefinition = {
  name: 'set',
  summary: 'Set variables of an application and restart it',
  details: `A value that is "-" is read from standard input, so that it is neither in the history of the shell nor in the list
of processes.`,
  args: [{ name: '<variable...>', about: 'NAME=value, or NAME=- for one value from standard input' }],
  options: [NO_RESTART, APP_OPTION, ...OPERATION_OPTIONS],
  examples: [
    ['hooks env set LOG_LEVEL=debug PAGES=2 --app shop', 'two variables, one restart'],
    ['hooks env set API_KEY=- --app shop < key.txt', 'a secret'],
  ],
  run: setVariables,
};

const unset: CommandDefinition = {
  name: 'unset',
  summary: 'Delete variables of an application and restart it',
  args: [{ name: '<name...>', about: 'the names of the variables' }],
  options: [NO_RESTART, APP_OPTION, ...OPERATION_OPTIONS],
  examples: [['hooks env unset LOG_LEVEL --app shop', 'shop runs without it from then on']],
  run: unsetVariables,
};

export const env: CommandDefinition = {
  name: 'env',
  summary: 'List, set and delete the environment variables of an application',
  details: 'They stay across deploys, which makes them the place for secrets.',
  examples: [...list.examples, ...set.examples],
  subcommands: [list, set, unset],
};

async function listVariables(call: Call): Promise<number> {
  const { args, print, warn } = call;
  const values = args.flag('values');
  const { client, app } = await start(call);
  const path = ['apps', client.service.user, app, 'env'];
  const sent = await client.get({ path, query: { values: values || undefined } });
  const variables = Object.entries(parsed(Answer, sent).env);
  if (args.flag('json')) {
    print(printableJson(sent));
    return 0;
  }
  for (const [name, value] of variables) print(values ? `${name}=${value ?? ''}` : name);
  if (variables.length === 0) warn(`${app} has no variables: "hooks env set NAME=value --app ${app}" sets one.`);
  return 0;
}

async function setVariables(call: Call): Promise<number> {
  const given = call.args.several(0).map(assignment);
  const fromInput = given.filter(({ value }) => value === '-');
  if (fromInput.length > 1) throw new UsageError('Only one value can be read from standard input.');
  const [input] = fromInput;
  const secret = input && (await readSecret(call, input.name));
  return change(
    call,
    given.map(({ name, value }) => ({ name, value: value === '-' ? (secret ?? '') : value })),
  );
}

async function unsetVariables(call: Call): Promise<number> {
  return change(
    call,
    call.args.several(0).map((name) => ({ name: checkedName(name), value: null })),
  );
}

interface Variable {
  readonly name: string;
  /** Null to delete it. */
  readonly value: string | null;
}

async function change(call: Call, variables: readonly Variable[]): Promise<number> {
  const { client, app } = await start(call);
  const answer = await changeAll(call, { client, app, variables });
  // Null when nothing runs.
  const { restart } = fieldsOf(answer);
  if (restart) return follow(call, client, entryOf(restart), `${app} was restarted with it.`);
  if (call.args.flag('json')) call.print(printableJson(answer));
  else await sayWhen(call, client, app);
  return 0;
}

interface Changes {
  readonly client: Api;
  readonly app: string;
  readonly variables: readonly Variable[];
}

/** All changes but the last one leave the application alone, so that it restarts once. Returns the last answer. */
async function changeAll({ args, print, warn }: Call, { client, app, variables }: Changes): Promise<unknown> {
  let answer: unknown = null;
  for (const [index, { name, value }] of variables.entries()) {
    const restarts = index === variables.length - 1 && args.unlessNo('restart');
    const query = { restart: restarts ? undefined : false };
    const request = { path: ['apps', client.service.user, app, 'env', name], query };
    try {
      answer = await (value === null
        ? client.send('DELETE', request)
        : client.send('PUT', { ...request, body: { value } }));
    } catch (error) {
      if (index > 0 && args.unlessNo('restart'))
        warn(`${app} was not restarted with what has been changed: "hooks restart ${app}" does it.`);
      throw error;
    }
    if (!args.flag('json')) print(`${name} is ${value === null ? 'deleted' : 'set'}.`);
  }
  return answer;
}

/** Says when the change has an effect, where nothing was restarted. */
async function sayWhen({ print, warn }: Call, client: Api, name: string): Promise<void> {
  const app = await oneApplication(client, name).catch(() => null);
  if (app?.state !== 'never') return print(`${name} runs with it after its next start.`);
  if (app.repository) {
    print(`${name} runs with it after its next deploy.`);
    return warn(`"hooks redeploy ${name}" deploys its newest commit again.`);
  }
  // No deploy has come for the application: its name may be mistyped.
  print(`${name} has not been deployed yet; it gets the variable with its first deploy.`);
  warn(`The name must be that of its package.json: @scope/app is "@scope/app" or "scope-app".`);
}

async function start(call: Call): Promise<{ readonly client: Api; readonly app: string }> {
  const client = api(await findService(call), call.signal);
  return { client, app: await appName(call, call.args.text('app')) };
}

function assignment(text: string): { readonly name: string; readonly value: string } {
  const equals = text.indexOf('=');
  // The text may be a secret.
  if (equals < 1) throw new UsageError('A variable is given as NAME=value.');
  return { name: checkedName(text.slice(0, equals)), value: text.slice(equals + 1) };
}

function checkedName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return name;
  throw new UsageError('The name of a variable has letters, digits and _, and does not begin with a digit.');
}

async function readSecret({ stdin }: Call, name: string): Promise<string> {
  if (stdin.isTTY) return stdin.ask(`${name} (not shown): `, { hidden: true });
  return (await stdin.read()).replace(/\r?\n$/, '');
}

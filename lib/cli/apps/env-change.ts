import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DotEnvError, importedFrom } from '../../client/dot-env.ts';
import { fieldsOf } from '../../client/lines.ts';
import { processesIn, SITE_COMMAND } from '../../client/processes.ts';
import { hasCode } from '../../files/errors.ts';
import { printableJson } from '../../terminal/printable.ts';
import { readSecret } from '../ask.ts';
import { APP_OPTION, type Call, type CommandDefinition, EXIT } from '../command.ts';
import { follow, OPERATION_OPTIONS } from '../deploy/operation.ts';
import { Failure, UsageError } from '../errors.ts';
import type { Api } from '../service/api.ts';
import { oneApplication } from '../service/application.ts';
import { entryOf } from '../service/entry.ts';
import { checkSpelling, findApp } from './app-name.ts';

const NO_RESTART = { flags: '--no-restart', about: 'let the application run on with the old values' };

export const set: CommandDefinition = {
  name: 'set',
  summary: 'Set variables of an application and restart it',
  details: `A value that is "-" is read from standard input, so that it is neither in the history of the shell nor in the list
of processes.`,
  args: [{ name: '<variable...>', about: 'NAME=value, or NAME=- for one value from standard input' }],
  options: [
    { flags: '--previews', about: 'give them to previews of its pull requests too, from their next deploy on' },
    ...[NO_RESTART, APP_OPTION, ...OPERATION_OPTIONS],
  ],
  examples: [
    ['hooks env set LOG_LEVEL=debug PAGES=2 --app shop', 'two variables, one restart'],
    ['hooks env set API_KEY=- --app shop < key.txt', 'a secret'],
    ['hooks env set --previews API=https://test.example.com --app shop', 'for previews too'],
  ],
  run: setVariables,
};

export const unset: CommandDefinition = {
  name: 'unset',
  summary: 'Delete variables of an application and restart it',
  args: [{ name: '<name...>', about: 'the names of the variables' }],
  options: [NO_RESTART, APP_OPTION, ...OPERATION_OPTIONS],
  examples: [['hooks env unset LOG_LEVEL --app shop', 'shop runs without it from then on']],
  run: (call) => change(call, Object.fromEntries(call.args.several().map((name) => [checkedName(name), null]))),
};

export const importFile: CommandDefinition = {
  name: 'import',
  summary: 'Set the variables of a .env file and restart the application',
  details: 'Variables that the file does not have stay. PORT and HOST are left out: the platform sets them.',
  args: [{ name: '[file]', about: 'default: .env; "-" is standard input' }],
  options: [NO_RESTART, APP_OPTION, ...OPERATION_OPTIONS],
  examples: [['hooks env import .env --app shop', 'all variables of the file, one restart']],
  run: importVariables,
};

/** New values by name; null deletes one. */
type Changes = Readonly<Record<string, string | null>>;

async function setVariables(call: Call): Promise<number> {
  const given = call.args.several().map(assignment);
  const fromInput = given.filter(({ value }) => value === '-');
  if (fromInput.length > 1) throw new UsageError('Only one value can be read from standard input.');
  const [input] = fromInput;
  const secret = input && (await readSecret(call, input.name));
  return change(
    call,
    Object.fromEntries(given.map(({ name, value }) => [name, value === '-' ? (secret ?? '') : value])),
    call.args.flag('previews'),
  );
}

async function importVariables(call: Call): Promise<number> {
  const file = call.args.at(0) ?? '.env';
  const { variables, leftOut } = variablesIn(await textOf(call, file), file);
  if (leftOut !== '') call.warn(leftOut);
  if (Object.keys(variables).length === 0) throw new UsageError(`${file} has no variables.`);
  return change(call, variables);
}

async function textOf({ stdin, folder }: Call, file: string): Promise<string> {
  if (file === '-') return stdin.read();
  return readFile(resolve(folder, file), 'utf8').catch((cause: unknown) => {
    const why = hasCode(cause, 'ENOENT') ? 'there is no such file' : 'it cannot be read';
    throw new Failure(`${file}: ${why}.`, { cause });
  });
}

function variablesIn(text: string, file: string): ReturnType<typeof importedFrom> {
  try {
    return importedFrom(text);
  } catch (error) {
    if (error instanceof DotEnvError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

/** Changes all variables or none, with one restart. */
async function change(call: Call, changes: Changes, forPreviews = false): Promise<number> {
  const { args, print } = call;
  const { client, app, path: appPath } = await findApp(call);
  const query = { restart: args.unlessNo('restart') ? undefined : false, previews: forPreviews || undefined };
  const path = [...appPath, 'env'];
  const removed = Object.keys(changes).filter((name) => changes[name] === null);
  if (removed.length > 0) mustHave(removed, { app, answer: await client.call({ path }) });
  else await checkSpelling(call, client, app);
  const answer = await client.call({ method: 'PATCH', path, query, body: changes });
  // Null when nothing runs.
  const { restart } = fieldsOf(answer);
  const isJson = args.flag('json');
  if (!isJson)
    for (const [name, value] of Object.entries(changes)) print(`${name} is ${value === null ? 'deleted' : 'set'}.`);
  if (restart) {
    const code = await follow(call, client, entryOf(restart), `${app} was restarted with the change.`);
    if (await isBuiltWith(Object.keys(changes), { client, appPath })) {
      call.warn(`Its pages are built with the old value: "hooks redeploy ${app}" builds them with the new one.`);
    }
    return code;
  }
  if (isJson) print(printableJson(answer));
  else await sayWhen(call, client, app);
  return EXIT.ok;
}

/** The beginnings of variables that frameworks write into the pages that they build. */
const IN_PAGES = /^(?:VITE|NEXT_PUBLIC|PUBLIC|REACT_APP|VUE_APP|GATSBY|EXPO_PUBLIC|NG_APP)_/;

interface Place {
  readonly client: Api;
  readonly appPath: readonly string[];
}

/** Whether one of these variables is read by builds: by its name, or because a static site runs nothing that reads it. */
async function isBuiltWith(names: readonly string[], { client, appPath }: Place): Promise<boolean> {
  if (names.some((name) => IN_PAGES.test(name))) return true;
  // AWS Lambda lists no processes.
  const answer = await client.call({ path: [...appPath, 'processes'] }).catch(() => null);
  const web = processesIn(answer)?.processes.find(({ type }) => type === 'web');
  return web?.command.startsWith(SITE_COMMAND) === true;
}

/** A name that is mistyped would only restart the application. */
function mustHave(names: readonly string[], { app, answer }: { readonly app: string; readonly answer: unknown }): void {
  const there = fieldsOf(fieldsOf(answer).env);
  const missing = names.filter((name) => !Object.hasOwn(there, name));
  if (missing.length === 0) return;
  throw new Failure(
    `${app} has no variable ${missing.join(', ')}, nothing was changed: "hooks env --app ${app}" lists what there is.`,
  );
}

/** Says when the change has an effect, where nothing was restarted. */
async function sayWhen({ print, warn }: Call, client: Api, name: string): Promise<void> {
  const app = await oneApplication(client, name).catch(() => null);
  if (app?.state !== 'never') return print(`${name} runs with the change after its next start.`);
  if (app.repository) {
    print(`${name} runs with the change after its next deploy.`);
    return warn(`"hooks redeploy ${name}" deploys its newest commit again.`);
  }
  // No deploy has come for the application: its name may be mistyped.
  print(`${name} has not been deployed yet; it gets the variable with its first deploy.`);
  warn(`The name must be that of its package.json: @scope/app is "@scope/app" or "scope-app".`);
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

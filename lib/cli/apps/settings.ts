import { isSetting, SETTING_NAMES, settingOf } from '../../../functions/core/apps/settings.ts';
import { fieldsOf } from '../../client/lines.ts';
import { painter } from '../../terminal/draw.ts';
import { printableJson, printableValue } from '../../terminal/printable.ts';
import { readSecret } from '../ask.ts';
import { APP_OPTION, type Call, type CommandDefinition, EXIT, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { UsageError } from '../errors.ts';
import { columns } from '../text.ts';
import { checkSpelling, findApp } from './app-name.ts';

const options = [APP_OPTION, JSON_OPTION, ...SERVICE_OPTIONS];

export const set: CommandDefinition = {
  name: 'set',
  summary: 'Show or change how an application is built and started',
  details: `It is kept over deploys, may be set before the first one, and comes before "deploy" in package.json, which has the same
settings but the password. What is not set is decided by what the repository holds. Secrets of the application are variables.

${columns(SETTING_NAMES.map((name) => [name, settingOf(name).about])).join('\n')}`,
  args: [
    {
      name: '[application | name=value...]',
      about: 'the application, if it is not that of this folder, and what to set',
    },
  ],
  options,
  examples: [
    ['hooks set shop', 'what is set'],
    ['hooks set shop build="npm run build:prod" output=dist', 'from the next deploy on'],
    ['hooks set shop build=', 'nothing is built'],
    ['hooks set shop branch=staging', 'the next push of staging is deployed'],
    ['hooks set password=- --app shop-staging < password.txt', 'visitors are asked for it; "password=" removes it'],
  ],
  run: async (call) => {
    const given = call.args.several();
    const [app] = given.filter((one) => !one.includes('='));
    const assigned = given.slice(app === undefined ? 0 : 1).map(assignment);
    const read = assigned.map(async ([name, text]) => [name, await settingTyped(call, name, text)] as const);
    return change(call, app, Object.fromEntries(await Promise.all(read)));
  },
};

export const unset: CommandDefinition = {
  name: 'unset',
  summary: 'Have settings of an application decided by its repository again',
  args: [{ name: '<name...>', about: `the settings: ${SETTING_NAMES.join(', ')}` }],
  options,
  examples: [['hooks unset build output --app shop', 'what the repository says, from the next deploy on']],
  run: (call) => change(call, undefined, Object.fromEntries(call.args.several().map((name) => [name, null]))),
};

/** Returns what a text means as the value of a setting; a secret that is "-" is asked for, or read from standard input. */
export async function settingTyped(call: Pick<Call, 'stdin'>, name: string, text: string): Promise<unknown> {
  if (!isSetting(name)) return text;
  const { json, typed } = settingOf(name).kind;
  // An empty input is no wish to remove it.
  return json === 'secret' && text === '-' ? readSecret(call, name) : typed(text);
}

/** Returns the setting and the text of `name=value`. Throws a `UsageError`. */
function assignment(text: string): readonly [name: string, text: string] {
  const [name = ''] = text.split('=', 1);
  if (!text.includes('=')) throw new UsageError(`"${text}" is not like build="npm run build:prod".`);
  return [name, text.slice(name.length + 1)];
}

/** Changes settings, if there is any change, and shows all. */
async function change(call: Call, app: string | undefined, body: Readonly<Record<string, unknown>>): Promise<number> {
  const { client, path, app: name } = await findApp(call, app);
  const patch = Object.keys(body).length > 0 && { method: 'PATCH', body };
  if (Object.values(body).some((value) => value !== null)) await checkSpelling(call, client, name);
  const sent = await client.call({ ...patch, path: [...path, 'settings'] });
  if (call.args.flag('json')) {
    call.print(printableJson(sent));
    return EXIT.ok;
  }
  const { next, in_package, found: used, ...settings } = printableValue(fieldsOf(sent));
  const [inPackage, found] = [fieldsOf(in_package), fieldsOf(used)];
  const paint = painter(call.stdout, call.env);
  const rows = SETTING_NAMES.map((name) => [
    name,
    (settingOf(name).kind.json === 'secret' && settings[name] === true ? 'set' : inWords(settings[name])) ??
      by('package.json', inPackage[name]) ??
      by('found', found[name]) ??
      '-',
    paint('dim', settingOf(name).about),
  ]);
  for (const line of columns(rows)) call.print(line);
  if (typeof next === 'string') call.warn(next);
  return EXIT.ok;
}

function by(source: string, value: unknown): string | undefined {
  const said = inWords(value);
  return said === undefined ? undefined : `${said} (${source})`;
}

/** Returns a value as it is typed; undefined for none. */
function inWords(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

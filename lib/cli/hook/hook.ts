import { type Command, UsageError } from '../command.ts';
import { endpoint, isEndpoint, withoutSecret } from './endpoint.ts';
import { type HookOptions, readOptions } from './options.ts';
import { senderNames, settingsFor } from './settings.ts';
import { type Webhook, webhookDialects } from './webhook-api.ts';
import { type Webhooks, webhooks } from './webhooks.ts';

/**
 * `hook <host> <owner/repository>`: prints what to paste where, so that the host calls the service; with `--create`,
 * `--show` and `--remove` does it through the host's API. Secrets come from the environment and are printed only with
 * `--show-secret`.
 */
export const hook: Command = async (args, { env, print }) => {
  const options = readOptions(args, env);
  if (options.action === 'print') return printSettings(options, print);
  await actions[options.action](options, open(options), print);
  return 0;
};

type Print = (line: string) => void;

const actions = { create, show, remove };

function printSettings(options: HookOptions, print: Print): number {
  const settings = settingsFor(options);
  if (!settings)
    throw new UsageError(`There are no settings for "${options.sender}", only for ${senderNames.join(', ')}.`);
  if (options.showSecret && options.secret === undefined) throw new UsageError('--show-secret needs HOOKS_SECRET.');
  const width = Math.max(...settings.fields.map(([name]) => name.length));
  print(settings.where);
  print('');
  for (const [name, value] of settings.fields) print(`  ${name.padEnd(width)}  ${value}`.trimEnd());
  for (const note of settings.notes ?? []) print(`\n${note}`);
  if (!options.showSecret) print('\nPut an API token of the platform where it says <token>.');
  return 0;
}

function open({ sender, api, repository, hostToken }: HookOptions): Webhooks {
  const dialect = webhookDialects.get(sender);
  if (!dialect) {
    const able = [...webhookDialects.keys()].join(', ');
    throw new UsageError(
      `The webhooks of ${sender} cannot be made from here, only those of ${able}. Call without --create.`,
    );
  }
  if (hostToken === undefined) throw new UsageError(`A token for the API of ${sender} is needed in HOOKS_HOST_TOKEN.`);
  return webhooks({ dialect, api: api ?? dialect.api, repository, token: hostToken });
}

/** The new one first: a push in between is then delivered twice, which the service knows, rather than never. */
async function create(options: HookOptions, at: Webhooks, print: Print): Promise<void> {
  const { user, secret } = options;
  if (secret === undefined || user === '<user>') {
    throw new UsageError('The webhook needs a login: set HOOKS_USER (or --user) and HOOKS_SECRET.');
  }
  const earlier = await ours(options, at);
  const login = { user, secret };
  const made = await at.create({ url: endpoint(options, login), plainUrl: endpoint(options, null), login });
  print(`Created: ${described(made)}`);
  await removeAll(earlier, at, print);
}

async function show(options: HookOptions, at: Webhooks, print: Print): Promise<void> {
  const found = await ours(options, at);
  for (const one of found) print(described(one));
  if (found.length === 0) print(`${options.repository} has no webhook that calls ${options.service}.`);
}

async function remove(options: HookOptions, at: Webhooks, print: Print): Promise<void> {
  const found = await ours(options, at);
  await removeAll(found, at, print);
  if (found.length === 0) print(`${options.repository} has no webhook that calls ${options.service}.`);
}

async function ours(options: HookOptions, at: Webhooks): Promise<readonly Webhook[]> {
  return (await at.list()).filter(({ url }) => isEndpoint(url, options));
}

async function removeAll(found: readonly Webhook[], at: Webhooks, print: Print): Promise<void> {
  for (const one of found) {
    await at.remove(one.id);
    print(`Removed: ${described(one)}`);
  }
}

function described({ id, url, active, events }: Webhook): string {
  return `webhook ${id} to ${withoutSecret(url)}, ${events.join(' and ') || 'no events'}${active ? '' : ', not active'}`;
}

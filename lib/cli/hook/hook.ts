import type { SenderDefinition } from '../../../functions/adapters/senders/define-sender.ts';
import { type SenderRegistry, senderRegistry, senders } from '../../../functions/adapters/senders/registry.ts';
import type { Webhook } from '../../../functions/adapters/senders/webhook-api.ts';
import { type Command, UsageError } from '../command.ts';
import { basic, endpoint, isEndpoint, SECRET_PLACEHOLDER, withoutSecret } from './endpoint.ts';
import { instructions } from './instructions.ts';
import { type HookOptions, readOptions, usageOf } from './options.ts';
import { type Webhooks, webhooks } from './webhooks.ts';

/**
 * Returns the command `hook <sender> <owner/repository>`, which prints the settings of the sender's webhook, or with
 * `--create`, `--show` and `--remove` manages it through the host's API. Secrets are read from the environment and
 * printed only with `--show-secret`.
 */
export function hookCommand(registry: SenderRegistry): Command {
  const able = registry.senders.filter(({ setup }) => setup !== null).map(({ id }) => id);
  return async (args, { env, print }) => {
    const options = readOptions(args, env, usageOf(able));
    const sender = registry.find(options.sender);
    if (!sender?.setup) {
      throw new UsageError(`There are no settings for "${options.sender}", only for ${able.join(', ')}.`);
    }
    if (options.action === 'print') printInstructions(instructions(sender, sender.setup, options), options, print);
    else await actions[options.action](options, open(sender, options, registry), print);
    return 0;
  };
}

/** The command for the senders of the service. */
export const hook: Command = hookCommand(senderRegistry(senders));

type Print = (line: string) => void;

const actions = { create, show, remove };

function printInstructions(lines: readonly string[], { showSecret, secret }: HookOptions, print: Print): void {
  if (showSecret && secret === undefined) throw new UsageError('--show-secret needs HOOKS_SECRET.');
  for (const line of lines) print(line.trimEnd());
  if (!showSecret) print(`\nPut an API token of the platform where it says ${SECRET_PLACEHOLDER}.`);
}

function open(
  { id, webhookApi }: SenderDefinition,
  { api, repository, hostToken }: HookOptions,
  registry: SenderRegistry,
): Webhooks {
  if (webhookApi === null) {
    const able = registry.senders.filter((sender) => sender.webhookApi !== null).map((sender) => sender.id);
    throw new UsageError(
      `The webhooks of ${id} cannot be created with this command, only those of ${able.join(', ')}. Call it without --create.`,
    );
  }
  if (hostToken === undefined) throw new UsageError(`A token for the API of ${id} is needed in HOOKS_HOST_TOKEN.`);
  return webhooks({ webhookApi, api: api ?? webhookApi.api, repository, token: hostToken });
}

/**
 * Creates the new webhook before removing the old ones: a push in between is delivered twice, which the service
 * detects.
 */
async function create(options: HookOptions, at: Webhooks, print: Print): Promise<void> {
  const { user, secret } = options;
  if (secret === undefined || user === '<user>') {
    throw new UsageError('The webhook needs a login: set HOOKS_USER (or --user) and HOOKS_SECRET.');
  }
  const existing = await ours(options, at);
  const login = { user, secret };
  const url = endpoint(options, login);
  const created = await at.create({ url, plainUrl: endpoint(options, null), authorization: basic(login) });
  print(`Created: ${described(created)}`);
  await removeAll(existing, at, print);
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

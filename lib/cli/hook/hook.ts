import type { SenderDefinition } from '../../../functions/adapters/senders/define-sender.ts';
import { type SenderRegistry, senderRegistry, senders } from '../../../functions/adapters/senders/registry.ts';
import type { Webhook } from '../../../functions/adapters/senders/webhook-api.ts';
import { basic, isLoopback } from '../../client/client.ts';
import { idOf, numberOf } from '../../client/entry.ts';
import { type Call, type CommandDefinition, SERVICE_OPTIONS } from '../command.ts';
import { UsageError } from '../errors.ts';
import { api } from '../service/api.ts';
import { entryOf, oneEntry } from '../service/entry.ts';
import type { Service } from '../service/stored-login.ts';
import {
  endpoint,
  environmentOf,
  instructions,
  isEndpoint,
  SECRET_PLACEHOLDER,
  withoutSecret,
} from './instructions.ts';
import { type HookOptions, readOptions } from './options.ts';
import { revokeTokens, webhookSecret } from './webhook-token.ts';
import { type Webhooks, webhooks } from './webhooks.ts';

/**
 * Returns the command `hook <sender> <owner/repository>`, which prints the settings of the sender's webhook, or with
 * `--create`, `--show` and `--remove` manages it through the host's API. Secrets are read from the environment and
 * printed only with `--show-secret`.
 */
export function hookCommand(registry: SenderRegistry): CommandDefinition {
  const ids = registry.senders.flatMap(({ id, setup }) => (setup === null ? [] : [id]));
  return {
    name: 'hook',
    summary: 'Print the settings of a webhook, or create, show or remove it at its host',
    details: `The senders are ${ids.join(', ')}.
HOOKS_HOST_TOKEN holds a token for the host's API, which --create, --show and --remove need. --create makes an API token for the
webhook, and revokes that of the one before, as --remove does; after a login with a token it is that token. Printed settings have a placeholder in place
of it; "hooks tokens create" makes one.`,
    args: [
      { name: '[sender]', about: 'the repository host or CI provider' },
      { name: '[repository]', about: 'its repository, as <owner>/<name>' },
    ],
    options: [
      { flags: '--branch <name>', about: "branch to deploy; default: the service's, with --create the repository's" },
      { flags: '--environment <word>', about: 'deploy as <name>-<word>, beside the application of another webhook' },
      { flags: '--previews', about: 'deploy each pull request too, as a separate application' },
      { flags: '--previews-ci', about: 'the same, but each waits until CI has passed' },
      { flags: '--show-secret', about: 'print the secret of the login instead of a placeholder' },
      {
        flags: '--create',
        about: 'create the webhook at the host, in place of an earlier one; the first one deploys the branch',
      },
      { flags: '--show', about: 'show the webhooks there that call the service' },
      { flags: '--remove', about: 'remove them, and revoke the API token that --create made' },
      { flags: '--api <address>', about: "the host's API, when it is your own: https://git.example.com/api/v4" },
      ...SERVICE_OPTIONS,
    ],
    examples: [
      ['hooks hook github octo/hello --branch main', 'what to paste into Settings → Webhooks'],
      [
        'hooks hook github octo/hello --branch staging --environment staging',
        'another branch beside it: hello-staging',
      ],
      ['hooks hook gitlab group/hello --create', 'creates it, with the token in HOOKS_HOST_TOKEN'],
    ],
    run: (call) => run(call, ids, registry),
  };
}

export const hook: CommandDefinition = hookCommand(senderRegistry(senders));

async function run(call: Call, ids: readonly string[], registry: SenderRegistry): Promise<number> {
  const { print } = call;
  const options = await readOptions(call, ids);
  const named = registry.find(options.sender);
  const sender = named?.setup ? named : registry.find(ANY_CI);
  if (!sender?.setup || (sender !== named && options.action !== 'print')) {
    throw new UsageError(`There are no settings for "${options.sender}", only for ${ids.join(', ')}.`);
  }
  if (sender !== named) {
    const instead = registry.insteadOf(options.sender) ?? 'A CI provider that can run a command can make this call.';
    call.warn(`There are no settings for "${options.sender}", only for ${ids.join(', ')}. ${instead}`);
  }
  if (options.previews && sender.previews === null) {
    const able = registry.senders.flatMap(({ id, previews }) => (previews === null ? [] : [id]));
    throw new UsageError(`Pull requests of ${sender.name} are not previewed, only those of ${able.join(', ')}.`);
  }
  if (options.action === 'print') printInstructions(instructions(sender, sender.setup, options), options, print);
  else await actions[options.action](options, open(sender, options, registry), call);
  if (options.action !== 'print' && options.action !== 'create') return 0;
  if (options.previews === 'ci') call.warn(resultsFor(sender, registry, options));
  if (isLoopback(options.service)) {
    call.warn('Only this machine can call that address: for a host elsewhere, start the service with PUBLIC_URL.');
  }
  return 0;
}

/** The events of CI are added by hand: with them the pushes of the branch wait too, for a CI that there may not be. */
function resultsFor({ id, name }: SenderDefinition, { senders }: SenderRegistry, { repository }: HookOptions): string {
  const ci = senders.flatMap((one) => (one.webhook === id && one.sends === 'builds' && one.setup ? [one.id] : []));
  const commands = ci.map((sender) => `"hooks hook ${sender} ${repository}"`).join(' or ');
  return `Previews wait until CI calls: add its events to the webhook of ${name} (${commands} names them), or a webhook of the CI provider.`;
}

/** The sender whose settings are printed for a provider that is not known. */
const ANY_CI = 'ci';

type Print = (line: string) => void;

const actions = { create, show, remove };

function printInstructions(lines: readonly string[], { showSecret, secret }: HookOptions, print: Print): void {
  if (showSecret && secret === undefined) throw new UsageError('--show-secret needs HOOKS_SECRET.');
  for (const line of lines) print(line.trimEnd());
  if (!showSecret)
    print(`\nPut an API token where it says ${SECRET_PLACEHOLDER}: "hooks tokens create <name>" makes one.`);
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
async function create(asked: HookOptions, at: Webhooks, call: Call): Promise<void> {
  const { print, signal } = call;
  const service = loginIn(asked);
  if (!service) throw new UsageError('The webhook needs a login: set HOOKS_USER (or --user) and HOOKS_SECRET.');
  // The webhook of another environment goes on beside it.
  const existing = (await ours(asked, at)).filter(({ url }) => environmentOf(url) === asked.environment);
  const token = await webhookSecret(service, asked, signal);
  const branch = existing.length === 0 ? await deployFirst(asked, service, call) : undefined;
  const options = { ...asked, branch: asked.branch ?? branch };
  const login = { user: service.user, secret: token.secret };
  const url = endpoint(options, login);
  const webhook = {
    url,
    plainUrl: endpoint(options, null),
    authorization: basic(login),
    previews: options.previews !== false,
  };
  const created = await at.create(webhook).catch(async (error: unknown) => {
    await token.drop().catch(() => undefined);
    throw error;
  });
  print(`Created: ${described(created)}`);
  if (token.made !== null) print(`Its secret is the new API token "${token.made}".`);
  await removeAll(existing, at, print);
  for (const name of await token.replace()) print(`Revoked: the API token "${name}" of the webhook before`);
}

/**
 * Deploys what the repository has already, and returns the branch: without one that is named it is the repository's own.
 * When that cannot be, the webhook is made all the same, and deploys the next push.
 */
async function deployFirst(
  { sender, repository: path, branch, environment }: HookOptions,
  service: Service,
  { print, warn, signal }: Call,
): Promise<string | undefined> {
  const [name = '', ...owner] = path.split('/').reverse();
  const repository = { host: sender, owner: owner.reverse().join('/'), name };
  const client = api(service, signal);
  try {
    const body = { repository, branch, environment };
    const { id } = entryOf(await client.call({ method: 'POST', path: ['apps', service.user], body }));
    const entry = await oneEntry(client, idOf({ id }));
    const number = numberOf(entry);
    print(`The tip of ${entry.doc?.branch} is deployed: "hooks watch --exit-status --entry ${number}" waits for it.`);
    return entry.doc?.branch ?? undefined;
  } catch (error) {
    signal.throwIfAborted();
    warn(`Nothing is deployed before the next push: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

async function show(options: HookOptions, at: Webhooks, { print }: Call): Promise<void> {
  const existing = await ours(options, at);
  for (const one of existing) print(described(one));
  if (existing.length === 0) print(`${options.repository} has no webhook that calls ${options.service}.`);
}

async function remove(options: HookOptions, at: Webhooks, { print, warn, signal }: Call): Promise<void> {
  const existing = await ours(options, at);
  await removeAll(existing, at, print);
  if (existing.length === 0) return print(`${options.repository} has no webhook that calls ${options.service}.`);
  const login = loginIn(options);
  // The webhook is gone either way, and the login may be that of a person who may not revoke.
  const revoked = login && (await revokeTokens(login, options, signal).catch(() => null));
  for (const name of revoked ?? []) print(`Revoked: its API token "${name}"`);
  if (!revoked) warn('An API token of it stays valid until "hooks tokens revoke <name>"; "hooks tokens" lists them.');
}

/** Returns the service with the login for it; undefined when the options have none. */
function loginIn({ calledAt, user, secret }: HookOptions): Service | undefined {
  if (secret === undefined || user === '<user>') return undefined;
  return { url: calledAt, user, secret, from: 'the options and the environment' };
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

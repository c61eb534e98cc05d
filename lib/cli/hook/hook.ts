import type { SenderDefinition } from '../../../functions/adapters/senders/define-sender.ts';
import { type SenderRegistry, senderRegistry, senders } from '../../../functions/adapters/senders/registry.ts';
import { isLoopback } from '../../client/client.ts';
import { type Call, type CommandDefinition, SERVICE_OPTIONS } from '../command.ts';
import { UsageError } from '../errors.ts';
import { instructions, SECRET_PLACEHOLDER } from './instructions.ts';
import { type HookOptions, readOptions } from './options.ts';

/**
 * Returns the command `hook <sender> <owner/repository>`, which prints the settings of the sender's webhook. The secret is
 * read from the environment and printed only with `--show-secret`.
 */
export function hookCommand(registry: SenderRegistry): CommandDefinition {
  const ids = registry.senders.flatMap(({ id, setup }) => (setup === null ? [] : [id]));
  return {
    name: 'hook',
    summary: 'Print the settings of a webhook',
    details: `The senders are ${ids.join(', ')}.
The settings have a placeholder in place of the API token, which "hooks tokens create <name> --rights deploy" makes.`,
    args: [
      { name: '[sender]', about: 'the repository host or CI provider' },
      { name: '[repository]', about: 'its repository, as <owner>/<name>' },
    ],
    options: [
      { flags: '--branch <name>', about: "branch to deploy; default: the service's" },
      { flags: '--environment <word>', about: 'deploy as <name>-<word>, beside the application of another webhook' },
      { flags: '--previews', about: 'deploy each pull request too, as a separate application' },
      { flags: '--previews-ci', about: 'the same, but each waits until CI has passed' },
      { flags: '--show-secret', about: 'print the secret of the login instead of a placeholder' },
      ...SERVICE_OPTIONS,
    ],
    examples: [
      ['hooks hook github octo/hello --branch main', 'what to paste into Settings → Webhooks'],
      [
        'hooks hook github octo/hello --branch staging --environment staging',
        'another branch beside it: hello-staging',
      ],
    ],
    run: (call) => run(call, ids, registry),
  };
}

export const hook: CommandDefinition = hookCommand(senderRegistry(senders));

async function run(call: Call, ids: readonly string[], registry: SenderRegistry): Promise<number> {
  const { print, warn } = call;
  const options = await readOptions(call, ids);
  const named = registry.find(options.sender);
  const sender = named?.setup ? named : registry.find(ANY_CI);
  const none = `There are no settings for "${options.sender}", only for ${ids.join(', ')}.`;
  if (!sender?.setup) throw new UsageError(none);
  if (sender !== named) {
    const instead = registry.insteadOf(options.sender) ?? 'A CI provider that can run a command can make this call.';
    warn(`${none} ${instead}`);
  }
  if (options.previews && sender.previews === null) {
    const able = registry.senders.flatMap(({ id, previews }) => (previews === null ? [] : [id]));
    throw new UsageError(`Pull requests of ${sender.name} are not previewed, only those of ${able.join(', ')}.`);
  }
  if (options.showSecret && options.secret === undefined) throw new UsageError('--show-secret needs HOOKS_SECRET.');
  for (const line of instructions(sender, sender.setup, options)) print(line.trimEnd());
  if (!options.showSecret) {
    const how = `"hooks tokens create ${sender.id} --rights deploy" makes one that may do no more.`;
    print(`\nPut an API token where it says ${SECRET_PLACEHOLDER}: ${how}`);
  }
  if (options.previews === 'ci') warn(resultsFor(sender, registry, options));
  if (isLoopback(options.service)) {
    warn('Only this machine can call that address: for a host elsewhere, start the service with PUBLIC_URL.');
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

import type { Call } from '../command.ts';
import { UsageError } from '../errors.ts';
import { address, publicAddress } from '../service/address.ts';
import { findService } from '../service/find-service.ts';

export type HookOptions = Awaited<ReturnType<typeof readOptions>>;

/** The options that determine the settings of a webhook. */
export type WebhookSettings = Pick<HookOptions, 'service' | 'user' | 'repository' | 'branch'> &
  Partial<Pick<HookOptions, 'environment' | 'secret' | 'showSecret' | 'previews'>>;

/** Reads the arguments and the environment. Throws a `UsageError`. */
export async function readOptions(call: Call, senders: readonly string[]) {
  const { args } = call;
  const sender = args.at(0);
  const repository = args.at(1);
  if (sender === undefined || repository === undefined) {
    throw new UsageError(`A sender and a repository are needed. The senders are ${senders.join(', ')}.`);
  }
  const previews = args.flag('previews-ci') ? ('ci' as const) : args.flag('previews') && ('true' as const);
  const environment = args.text('environment')?.toLowerCase();
  if (environment !== undefined && !/^[a-z\d]+(-[a-z\d]+)*$/.test(environment)) {
    throw new UsageError('--environment is a word of letters, digits and dashes, such as staging.');
  }
  if (environment !== undefined && previews) throw new UsageError('An environment has no previews.');
  return {
    sender: sender.toLowerCase(),
    repository: checkedRepository(repository),
    ...(await readService(call)),
    showSecret: args.flag('show-secret'),
    // Without one it is the service's default.
    branch: args.text('branch'),
    environment,
    previews,
  };
}

/**
 * Returns the address for callers of the service, without a slash at its end, and the login. To print settings, the
 * address is enough; user and secret are placeholders then.
 */
async function readService(call: Call) {
  const { args, env } = call;
  const url = args.text('url') ?? env.HOOKS_URL;
  if (!url) {
    const { url, user, secret } = await findService({ ...call, env: { ...env, HOOKS_USER: '', HOOKS_SECRET: '' } });
    return { service: await publicAddress(url, call.signal), user, secret };
  }
  return {
    service: address(url, 'the service: --url or HOOKS_URL'),
    user: args.text('user') ?? (env.HOOKS_USER || '<user>'),
    secret: env.HOOKS_SECRET || undefined,
  };
}

function checkedRepository(repository: string): string {
  const parts = repository.split('/');
  const fits = parts.length > 1 && parts.every((part) => /^[A-Za-z0-9._-]+$/.test(part) && !/^\.\.?$/.test(part));
  if (fits) return repository;
  throw new UsageError('The repository is named as <owner>/<name>, without the address of the host.');
}

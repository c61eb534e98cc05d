import { parseArgs } from 'node:util';
import { type CommandContext, UsageError } from '../command.ts';

/** What to do with the webhook. */
export type Action = 'print' | 'create' | 'show' | 'remove';

/** The parsed options of `hook`. */
export interface HookOptions {
  /** `github`, `gitlab`, `travis`, … */
  readonly sender: string;
  /** `owner/name`; at GitLab, owners may contain slashes. */
  readonly repository: string;
  readonly action: Action;
  /** The service's base URL, without a trailing slash. */
  readonly service: string;
  /** The platform user. */
  readonly user: string;
  /** The platform password or API token; undefined when not given. */
  readonly secret: string | undefined;
  readonly showSecret: boolean;
  /** The branch to deploy; undefined for the service's default. */
  readonly branch: string | undefined;
  /** Base URL of the host's API; undefined for the sender's default. */
  readonly api: string | undefined;
  /** The token for the host's API; undefined when not given. */
  readonly hostToken: string | undefined;
}

/** Returns the usage text, with the ids of the senders that can be set up. */
export function usageOf(senders: readonly string[]): string {
  return `Usage: npm run hooks -- hook <sender> <owner/repository> [options]

  <sender>          ${wrapped(senders).join('\n                    ')}
  --url <address>   address of the service             (or HOOKS_URL)
  --user <name>     user name at the platform          (or HOOKS_USER)
  --branch <name>   branch to deploy; without it the service's default
  --show-secret     print the secret of HOOKS_SECRET instead of a placeholder
  --create          create the webhook at the host, in place of an earlier one   (these three need
  --show            show the webhooks there that call the service                a token for the host's
  --remove          remove them                                                  API in HOOKS_HOST_TOKEN)
  --api <address>   the host's API, when it is your own: https://git.example.com/api/v4

HOOKS_SECRET holds the platform's password or, better, an API token made for the hook.`;
}

const known = {
  url: { type: 'string' },
  user: { type: 'string' },
  branch: { type: 'string' },
  api: { type: 'string' },
  'show-secret': { type: 'boolean' },
  create: { type: 'boolean' },
  show: { type: 'boolean' },
  remove: { type: 'boolean' },
} as const;

/** Reads the arguments and the environment. Throws a `UsageError`, with the usage where the arguments are unknown. */
export function readOptions(args: readonly string[], env: CommandContext['env'], usage: string): HookOptions {
  const { values, positionals } = parsed(args, usage);
  const [sender = '', repository = '', ...rest] = positionals;
  if (sender === '' || repository === '' || rest.length > 0) throw new UsageError(usage);
  const actions = (['create', 'show', 'remove'] as const).filter((one) => values[one]);
  if (actions.length > 1) throw new UsageError('Only one of --create, --show and --remove can be given.');
  return {
    sender: sender.toLowerCase(),
    repository: checkedRepository(repository),
    action: actions[0] ?? 'print',
    service: address(values.url ?? env.HOOKS_URL, 'the service: --url or HOOKS_URL'),
    user: values.user ?? env.HOOKS_USER ?? '<user>',
    secret: env.HOOKS_SECRET || undefined,
    showSecret: values['show-secret'] ?? false,
    branch: values.branch,
    api: values.api === undefined ? undefined : address(values.api, 'the API: --api'),
    hostToken: env.HOOKS_HOST_TOKEN || undefined,
  };
}

function parsed(args: readonly string[], usage: string) {
  try {
    return parseArgs({ args: [...args], options: known, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : 'Unknown arguments.'}\n\n${usage}`);
  }
}

function checkedRepository(repository: string): string {
  const parts = repository.split('/');
  const fits = parts.length > 1 && parts.every((part) => /^[A-Za-z0-9._-]+$/.test(part) && !/^\.\.?$/.test(part));
  if (fits) return repository;
  throw new UsageError('The repository is named as <owner>/<name>, without the address of the host.');
}

/** Returns a URL without its trailing slash. Throws a `UsageError` unless it is https or on this machine. */
export function address(text: string | undefined, what: string): string {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  const local = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !local)) {
    throw new UsageError(`An https:// address is needed for ${what}.`);
  }
  if (url.username || url.password) throw new UsageError(`The address for ${what} must not hold a login.`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

const LINE_WIDTH = 80;

/** Returns the names as comma-separated lines of at most `LINE_WIDTH` characters. */
function wrapped(names: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const name of names) {
    const line = lines.at(-1);
    const longer = line === undefined ? name : `${line}, ${name}`;
    if (line === undefined || longer.length > LINE_WIDTH) lines.push(name);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line, at) => (at < lines.length - 1 ? `${line},` : line));
}

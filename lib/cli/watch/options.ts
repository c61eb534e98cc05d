import { parseArgs } from 'node:util';
import { type CommandContext, UsageError } from '../command.ts';
import { address } from '../hook/options.ts';

/** A call of `watch`, read and checked. */
export interface WatchOptions {
  readonly since: number | 'now';
  /** Only changes of this application; undefined for all. */
  readonly app: string | undefined;
  readonly json: boolean;
  /** Undefined for the service of this machine. */
  readonly service: Service | undefined;
}

/** A service and the login there. */
export interface Service {
  readonly url: string;
  readonly user: string;
  readonly secret: string;
}

/** The usage of the command. */
export const USAGE = `Usage: npm run hooks -- watch [<application>] [options]

  <application>     only changes of this one
  --since <n>       begin after that change: a number, 0 for all that is kept, or now (default)
  --json            the rows as the service sends them, one JSON object a line
  --url <address>   address of the service             (or HOOKS_URL)
  --user <name>     user name at the platform          (or HOOKS_USER)

HOOKS_SECRET holds the platform's password or an API token. Without all three, the service of this machine is watched.`;

const known = {
  since: { type: 'string' },
  json: { type: 'boolean' },
  url: { type: 'string' },
  user: { type: 'string' },
} as const;

/** Reads the arguments and the environment. Throws a `UsageError`. */
export function readOptions(args: readonly string[], env: CommandContext['env']): WatchOptions {
  const { values, positionals } = parsed(args);
  const [app, ...rest] = positionals;
  if (rest.length > 0 || app === '') throw new UsageError(USAGE);
  return {
    app,
    since: readSince(values.since ?? 'now'),
    json: values.json ?? false,
    service: readService(values, env),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: known, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : 'Unknown arguments.'}\n\n${USAGE}`);
  }
}

function readSince(text: string): number | 'now' {
  if (text === 'now') return 'now';
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new UsageError('--since takes the number of a change, 0 or now.');
}

/** All three or none: a login for one service is not sent to another. */
function readService(
  values: { readonly url?: string | undefined; readonly user?: string | undefined },
  env: CommandContext['env'],
): Service | undefined {
  const url = values.url ?? (env.HOOKS_URL || undefined);
  const user = values.user ?? (env.HOOKS_USER || undefined);
  const secret = env.HOOKS_SECRET || undefined;
  if (url === undefined && user === undefined && secret === undefined) return undefined;
  const service = address(url, 'the service: --url or HOOKS_URL');
  if (user && secret !== undefined) return { url: service, user, secret };
  throw new UsageError('The service needs a login: set HOOKS_USER (or --user) and HOOKS_SECRET.');
}

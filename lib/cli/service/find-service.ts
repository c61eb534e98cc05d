import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder } from '../../local/config/start-place.ts';
import type { Call, CommandContext } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';
import type { Arguments } from '../program/arguments.ts';
import { address } from './address.ts';
import { type Api, api } from './api.ts';
import { loginFile, readLogin, type Service, type StoredLogin } from './stored-login.ts';

/** The inputs of the choice of a service. */
type ServiceCall = Pick<CommandContext, 'env'> & { readonly args: Pick<Arguments, 'text'> };

/**
 * Returns the service that a command calls: that of the options and the environment; else, with `DATA_DIR`, the one
 * that runs there; else that of the stored login; else the one that runs on this machine.
 *
 * @throws UsageError when a login is incomplete; Failure when there is no service
 */
export async function findService({ env, args }: ServiceCall): Promise<Service> {
  const stored = await readLogin(env);
  const url = args.text('url') ?? (env.HOOKS_URL || undefined);
  const user = args.text('user') ?? (env.HOOKS_USER || undefined);
  const secret = env.HOOKS_SECRET || undefined;
  if (url !== undefined || user !== undefined || secret !== undefined) return named({ url, user, secret }, stored);
  if (stored && !env.DATA_DIR) return { ...stored, from: `the login in ${loginFile(env)}` };
  const local = await thisMachine(env);
  if (local) return local;
  const where = env.DATA_DIR ? `in ${env.DATA_DIR}` : 'on this machine, and there is no login';
  throw new Failure(
    `No service runs ${where}: start it with "hooks start" ("npm start" in a clone), or log in to another with "hooks login".`,
  );
}

/** Returns the API of that service, until the command is interrupted. */
export async function findApi(call: Call): Promise<Api> {
  return api(await findService(call), call.signal);
}

interface Given {
  readonly url: string | undefined;
  readonly user: string | undefined;
  readonly secret: string | undefined;
}

/**
 * A login for one service is not sent to another: what is missing is taken from the stored login of that service only.
 */
function named({ url, user, secret }: Given, stored: StoredLogin | null): Service {
  const service = address(url, 'the service: --url or HOOKS_URL');
  const matching = stored?.url === service && (user === undefined || stored.user === user) ? stored : null;
  const login = { user: user ?? matching?.user, secret: secret ?? matching?.secret };
  if (login.user && login.secret !== undefined) {
    return { url: service, user: login.user, secret: login.secret, from: 'the options and the environment' };
  }
  throw new UsageError('The service needs a login: set HOOKS_USER (or --user) and HOOKS_SECRET, or use "hooks login".');
}

const TIMEOUT_MS = 5_000;

/**
 * Returns the service that runs on this machine and its login, from the files in its data folder; null when none runs.
 */
export async function thisMachine(env: CommandContext['env']): Promise<Service | null> {
  const dataDir = dataFolder(env);
  const read = (name: string) => readFile(join(dataDir, name), 'utf8');
  try {
    const [url, netrc] = await Promise.all([read('url'), read('netrc')]);
    const [, user, secret] = /\blogin (\S+) password (\S+)/.exec(netrc) ?? [];
    if (user === undefined || secret === undefined) return null;
    // A killed service leaves the file behind, so the address is checked.
    const response = await fetch(url.trim(), { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    return { url: url.trim(), user, secret, dataDir, from: `the service that runs in ${dataDir}` };
  } catch {
    return null;
  }
}

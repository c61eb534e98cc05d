import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unless } from '../../files/errors.ts';
import { userOfPort } from '../../http/listening-sockets.ts';
import { DEFAULT_PORT, dataFolder } from '../../local/config/start-place.ts';
import type { Call, CommandContext } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';
import type { Arguments } from '../program/arguments.ts';
import { UNIT_FILE } from '../server/systemd-unit.ts';
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
  const other = env.DATA_DIR ? null : await ofAnotherUser(env);
  if (other) {
    const { name, url } = other;
    throw new Failure(
      `A service runs on this machine as another user (${name}): run "sudo -u ${name} hooks …", or "hooks login --url ${url}".`,
    );
  }
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

/** Returns the service of another user of this machine, whose data folder this one cannot read; null when none runs. */
async function ofAnotherUser(
  env: CommandContext['env'],
): Promise<{ readonly name: string; readonly url: string } | null> {
  const unit = await textOf(UNIT_FILE);
  const port = Number(env.PORT || /^Environment=.*\bPORT=(\d+)/m.exec(unit)?.[1] || DEFAULT_PORT);
  const uid = userOfPort(port);
  if (uid === undefined || uid === process.getuid?.()) return null;
  const url = `http://127.0.0.1:${port}`;
  // Any other program may listen there.
  const asked = { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) } as const;
  const answer = await fetch(`${url}/1/status/${uid}/webhooks`, asked).catch(() => null);
  await answer?.body?.cancel();
  if (!answer?.headers.get('www-authenticate')?.startsWith('Basic realm="deployment-webhooks"')) return null;
  const users = (await textOf('/etc/passwd')).split('\n').map((line) => line.split(':'));
  return { name: users.find(([, , id]) => id === String(uid))?.[0] ?? `#${uid}`, url };
}

async function textOf(path: string): Promise<string> {
  return (await unless(['ENOENT', 'EACCES'], readFile(path, 'utf8'))) ?? '';
}

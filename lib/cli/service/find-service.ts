import type { CommandContext } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';
import type { Arguments } from '../program/arguments.ts';
import { address } from './address.ts';
import type { Service } from './service.ts';
import { loginFile, readLogin } from './stored-login.ts';
import { thisMachine } from './this-machine.ts';

/** The inputs of the choice of a service. */
export type ServiceCall = Pick<CommandContext, 'env'> & { readonly args: Pick<Arguments, 'text'> };

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

interface Given {
  readonly url: string | undefined;
  readonly user: string | undefined;
  readonly secret: string | undefined;
}

/**
 * A login for one service is not sent to another: what is missing is taken from the stored login of that service only.
 */
function named({ url, user, secret }: Given, stored: Omit<Service, 'from'> | null): Service {
  const service = address(url, 'the service: --url or HOOKS_URL');
  const known = stored?.url === service && (user === undefined || stored.user === user) ? stored : null;
  const login = { user: user ?? known?.user, secret: secret ?? known?.secret };
  if (login.user && login.secret !== undefined) {
    return { url: service, user: login.user, secret: login.secret, from: 'the options and the environment' };
  }
  throw new UsageError('The service needs a login: set HOOKS_USER (or --user) and HOOKS_SECRET, or use "hooks login".');
}

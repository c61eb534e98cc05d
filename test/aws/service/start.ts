import { join } from 'node:path';
import { once } from '../../../functions/core/concurrency.ts';
import { forOperator, OperatorError } from '../../../lib/files/errors.ts';
import { reservePort } from '../../../lib/http/ports.ts';
import { type Login, readLogin } from '../../../lib/local/config/users.ts';
import { publishLogin } from '../../../lib/local/login.ts';
import { type Closers, closeAll } from '../../../lib/process/closing.ts';
import type { RepoHost } from '../../../lib/repohost/repohost.ts';
import type { Runtime } from '../../aws-local/runtime.ts';
import { stackRepositories } from './repositories.ts';
import { type StackOptions, startStack } from './stack.ts';
import { type StackUsers, stackUsers } from './stack-users.ts';
import { synthesis } from './synthesis.ts';

/** Options of starting the whole service on this machine. */
export interface StartOptions extends StackOptions {
  /** Root of the checkout. */
  readonly project: string;
  /** Folder of the synthesised stack; default: in `dataDir`. */
  readonly outdir?: string;
}

/** The whole service on this machine: the stack, with its applications, and the repository host. */
export interface EmulatedService {
  /** Address of the API on this machine. */
  readonly url: string;
  readonly login: Login;
  readonly users: StackUsers;
  readonly repoHost: RepoHost;
  readonly runtime: Runtime;
  /** Ends everything. */
  close(): Promise<void>;
}

/**
 * Starts the service as it is deployed, on this machine, in an empty folder.
 *
 * @throws OperatorError with one sentence that says what is wrong and what to do
 */
export async function startOnEmulators(options: StartOptions): Promise<EmulatedService> {
  const closers: Closers = [];
  const { warn = () => {} } = options;
  const close = once(() => closeAll(closers, { limitMs: CLOSE_LIMIT_MS, warn }));
  try {
    return { ...(await start(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** For the end of each part: longer than it takes to kill applications that ignore SIGTERM. */
const CLOSE_LIMIT_MS = 20_000;

/**
 * The order matters: the template needs all addresses, and deploys go on as soon as the API and the queues are open.
 */
async function start(options: StartOptions, closers: Closers): Promise<Omit<EmulatedService, 'close'>> {
  const { project, dataDir, step = () => {}, warn = () => {} } = options;
  const cloudAssembly = options.outdir ?? join(dataDir, 'cdk.out');
  const login = readLogin(dataDir);
  const begin = () => step('synthesising the stack (once, until a source changes)');
  await synthesis({ project, outdir: cloudAssembly, begin });

  step('starting the stack');
  const repositoriesPort = await reservePort(0);
  closers.push(['the port', repositoriesPort.release]);
  const runtime = await startStack(options, { cloudAssembly, repositoriesPort });
  closers.push(['the stack', runtime.close]);

  step('starting the repository host');
  const users = stackUsers(runtime);
  await forOperator(users.ensure(login));
  const url = await runtime.open();
  if (url === undefined) throw new OperatorError('The template has no REST API.');
  const repoHost = await stackRepositories({ dataDir, port: repositoriesPort, url, login, warn });
  closers.push(['the repository host', repoHost.close]);
  closers.push(['the addresses', publishLogin(dataDir, { url, repositories: repoHost.url }, login)]);
  return { url, login, users, repoHost, runtime };
}

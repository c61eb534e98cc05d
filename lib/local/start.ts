import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessRecord } from '../aws-local/gateway/gateway.ts';
import type { FunctionLogLine } from '../aws-local/invoke/log-lines.ts';
import { type Runtime, startRuntime } from '../aws-local/runtime.ts';
import { type Platform, startPlatform } from '../platform/platform.ts';
import type { PlatformEvent } from '../platform/settings.ts';
import { lockInstance } from '../processes/instance-lock.ts';
import { OperatorError } from '../processes/operator-error.ts';
import { isFree } from '../processes/ports.ts';
import { type ReservedPorts, releaseAll, reserveStablePorts } from '../processes/stable-ports.ts';
import { gitCommand } from '../repohost/git/git.ts';
import { type RepoHost, startRepoHost } from '../repohost/repohost.ts';
import { synthesis } from './synthesis.ts';

/** How to start the whole service on this machine. */
export interface StartOptions {
  /** Root of the checkout. */
  readonly project: string;
  /** Folder of everything that is kept; made when it does not exist. */
  readonly dataDir: string;
  /** Folder of the synthesised stack; default: in `dataDir`. */
  readonly outdir?: string;
  /** Port of the API; 0 for any free one. */
  readonly port: number;
  /** Values of the template's parameters that win over those of one machine. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Told what is being done, in a few words. */
  readonly step?: (what: string) => void;
  readonly log?: (line: FunctionLogLine) => void;
  readonly warn?: (sentence: string) => void;
  readonly onRequest?: (record: AccessRecord) => void;
  readonly onPlatformEvent?: (event: PlatformEvent) => void;
}

/** The whole service on this machine: the stack, the hosting platform and the repository host. */
export interface LocalService {
  /** Address of the API. */
  readonly url: string;
  readonly login: Login;
  readonly platform: Platform;
  readonly repoHost: RepoHost;
  readonly runtime: Runtime;
  /** Settles with the reason when a part stops by itself. */
  readonly failed: Promise<OperatorError>;
  /** Ends everything; what was under way goes on at the next start. */
  close(): Promise<void>;
}

/** The one user of this machine; the password is in `<dataDir>/password`, for its owner only. */
export interface Login {
  readonly user: string;
  readonly password: string;
}

/** The branch that the embedded repository host asks to deploy. */
export const BRANCH = 'main';
const USER = 'demo';
/** The functions that a first push needs, by logical id. */
const FIRST_PUSH = ['Apiauthorize', 'Apiapideploy', 'Pipelinestagecheck'];

/**
 * Starts the service as it is deployed, on this machine. A second start on the same folder finds applications, log and
 * repositories again and finishes the deploys that were under way.
 *
 * @throws OperatorError with one sentence that says what is wrong and what to do
 */
export async function startLocal(options: StartOptions): Promise<LocalService> {
  const { dataDir, step = () => {} } = options;
  const unlock = await lockInstance(join(dataDir, 'lock'));
  const closers: (() => Promise<unknown>)[] = [async () => unlock()];
  const close = once(async () => {
    for (const one of closers.reverse()) await one();
  });
  try {
    return await start(options, step, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  options: StartOptions,
  step: (what: string) => void,
  closers: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<LocalService> {
  const { project, dataDir, warn = () => {} } = options;
  const outdir = options.outdir ?? join(dataDir, 'cdk.out');
  const login = readLogin(dataDir);
  await checkMachine(options.port);
  await synthesis({ project, outdir, begin: () => step('synthesising the stack (once, until a source changes)') });
  step('starting the stack');
  const ports = await reserveStablePorts(join(dataDir, 'ports.json'), ['platform', 'repositories']);
  closers.push(() => releaseAll(Object.values(ports)));
  const runtime = await startRuntime({
    ...options,
    cloudAssembly: outdir,
    dataDir: join(dataDir, 'aws'),
    parameters: { ...ownParameters(ports), ...options.parameters },
    warm: FIRST_PUSH,
    log: options.log ?? (() => {}),
    warn,
  });
  closers.push(runtime.close);
  step('starting the platform and the repository host');
  const platform = await explained(
    startPlatform({
      dataDir: join(dataDir, 'platform'),
      port: ports.platform,
      serviceToken: runtime.secretValue('StoresPlatformToken'),
      ...(options.onPlatformEvent && { log: options.onPlatformEvent }),
    }),
  );
  closers.push(platform.close);
  await explained(platform.ensureUser(login));
  const url = await runtime.open();
  if (url === undefined) throw new OperatorError('The template has no REST API.');
  const repoHost = await startRepoHost({
    dataDir: join(dataDir, 'repositories'),
    port: ports.repositories,
    webhook: { url: `${url}/1/deploy?branch=${BRANCH}`, user: login.user, secret: login.password },
    log: warn,
  });
  closers.push(() => repoHost.close());
  writeLogin(dataDir, url, login);
  closers.push(async () => rmSync(join(dataDir, 'url'), { force: true }));
  // The queues were lost with the last process; the log knows what was under way.
  await runtime.invoke('Pipelinesweep', { everything: true });
  return { url, login, platform, repoHost, runtime, failed: runtime.failed, close };
}

/** What is missing is better said before the seconds that the rest takes. */
async function checkMachine(port: number): Promise<void> {
  await gitCommand().read(['version']);
  if (port === 0 || (await isFree(port))) return;
  throw new OperatorError(
    `Port ${port} of 127.0.0.1 is taken by another program: end that one, or set PORT to another port (0: any free one).`,
  );
}

/** The platform's errors are sentences for people, too, but not known as such. */
async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof OperatorError || !(cause instanceof Error)) throw cause;
    throw new OperatorError(cause.message, { cause });
  }
}

/** Where the stack finds what it calls, and waits that suit a person who watches. */
function ownParameters(ports: ReservedPorts<'platform' | 'repositories'>): Record<string, string> {
  const repositories = `http://127.0.0.1:${ports.repositories.port}`;
  const hosts = [
    { name: 'local', kind: 'github', api: repositories, web: repositories },
    { name: 'github', kind: 'github', api: 'https://api.github.com', web: 'https://github.com' },
  ];
  return {
    PlatformUrl: `http://127.0.0.1:${ports.platform.port}`,
    RepositoryHosts: JSON.stringify(hosts),
    RetryBaseSeconds: '5',
  };
}

function readLogin(dataDir: string): Login {
  const file = join(dataDir, 'password');
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (known !== '') return { user: USER, password: known };
  const password = randomBytes(18).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  return { user: USER, password };
}

/**
 * With `netrc`, `curl --netrc-file` logs in without a secret on the command line; with `url`, which is there while the
 * service runs, other programs of this machine find it.
 */
function writeLogin(dataDir: string, url: string, { user, password }: Login): void {
  const { hostname } = new URL(url);
  writeFileSync(join(dataDir, 'netrc'), `machine ${hostname} login ${user} password ${password}\n`, { mode: 0o600 });
  writeFileSync(join(dataDir, 'url'), `${url}\n`);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}

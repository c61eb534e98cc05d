import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkDatabase } from '../aws-local/emulators/dynamodb.ts';
import type { AccessRecord } from '../aws-local/gateway/gateway.ts';
import type { FunctionLogLine } from '../aws-local/invoke/log-lines.ts';
import { type Runtime, startRuntime } from '../aws-local/runtime.ts';
import type { Strictness } from '../aws-local/strict/strict.ts';
import { type Platform, startPlatform } from '../platform/platform.ts';
import type { PlatformEvent } from '../platform/settings.ts';
import { lockInstance } from '../processes/instance-lock.ts';
import { removeLeftovers } from '../processes/leftovers.ts';
import { once } from '../processes/once.ts';
import { OperatorError } from '../processes/operator-error.ts';
import type { ReservedPort } from '../processes/ports.ts';
import { releaseAll, reserveStablePorts } from '../processes/stable-ports.ts';
import { gitCommand } from '../repohost/git/git.ts';
import { type RepoHost, startRepoHost } from '../repohost/repohost.ts';
import { type Overrides, readConfig, withOverrides } from './config/config.ts';
import { programAddresses, stackParameters } from './config/parameters.ts';
import { loginProxies, proxiesOf } from './config/proxies.ts';
import { type PublicAddresses, publicAddresses } from './config/public-addresses.ts';
import type { Config } from './config/schema.ts';
import { type Login, readLogin } from './config/users.ts';
import { otherLogins, removeOthers, watchUsers } from './config/watch-users.ts';
import { forOperator } from './for-operator.ts';
import { portOfSignals } from './front-door/destination.ts';
import { frontDoor } from './front-door/front-door.ts';
import { publishLogin } from './login.ts';
import { platformLogin, serviceLogin } from './platform-login.ts';
import type { PlatformName } from './platform-name.ts';
import { checkPort } from './port-check.ts';
import { type RemotePlatform, remoteUsers } from './remote-platform.ts';
import { stackUsers } from './stack-users.ts';
import { synthesis } from './synthesis.ts';

/** How to start the whole service on this machine. */
export interface StartOptions extends Strictness {
  /** Root of the checkout. */
  readonly project: string;
  /** Folder of everything that is kept; made when it does not exist. */
  readonly dataDir: string;
  /** Folder of the synthesised stack; default: in `dataDir`. */
  readonly outdir?: string;
  /** Port of the API; 0 for any free one. */
  readonly port: number;
  /** Where applications run; on the embedded platform by default. */
  readonly platform?: PlatformName;
  /** The platform of `http`. */
  readonly remote?: RemotePlatform;
  /** Settings that win over those of the configuration file. */
  readonly overrides?: Overrides;
  /** Values of the template's parameters that win over those of one machine. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Called with what is being done, in a few words. */
  readonly step?: (what: string) => void;
  readonly log?: (line: FunctionLogLine) => void;
  readonly warn?: (sentence: string) => void;
  readonly onRequest?: (record: AccessRecord) => void;
  readonly onPlatformEvent?: (event: PlatformEvent) => void;
  /** Called when an application that has crashed, or answers again, is shown so in the log. */
  readonly onAppState?: () => void;
}

/** The whole service on this machine: the stack, the hosting platform and the repository host. */
export interface LocalService {
  /** Address of the API on this machine. */
  readonly url: string;
  /** Addresses from other machines, when there are any. */
  readonly addresses: PublicAddresses | undefined;
  readonly login: Login;
  /** The embedded platform, when applications run on it. */
  readonly platform: Platform | undefined;
  /** Address of the platform's API, unless applications run on AWS Lambda. */
  readonly platformUrl: string | undefined;
  readonly repoHost: RepoHost;
  readonly runtime: Runtime;
  /** Resolves with the reason when a part stops by itself. */
  readonly failed: Promise<OperatorError>;
  /** Ends everything; deploys in progress go on at the next start. */
  close(): Promise<void>;
}

/** The functions that a first push needs, by logical id. */
const FIRST_PUSH = ['Apiauthorize', 'Apiapideploy', 'Pipelinestagecheck'];

/**
 * Starts the service as it is deployed, on this machine. A second start on the same folder finds applications, log and
 * repositories again and finishes the deploys that were in progress.
 *
 * @throws OperatorError with one sentence that says what is wrong and what to do
 */
export async function startLocal(options: StartOptions): Promise<LocalService> {
  const unlock = await lockInstance(join(options.dataDir, 'lock'));
  const closers: Closers = [async () => unlock()];
  const close = once(() => closeAll(closers));
  try {
    return { ...(await start(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A synthesis and the work tree of a first push, which a kill has interrupted. */
const LEFT_BY_STARTS = /^(?:cdk\.out\.\d+|sample-\w{6})$/;

/** What ends the parts, in the order of their start. */
type Closers = (() => Promise<unknown>)[];

async function closeAll(closers: Closers): Promise<void> {
  for (const close of closers.reverse()) await close();
}

/**
 * The order matters: the template needs all addresses, and deploys go on as soon as the API and the queues are open.
 */
async function start(options: StartOptions, closers: Closers): Promise<Omit<LocalService, 'close'>> {
  const { project, dataDir, remote, step = () => {}, warn = () => {} } = options;
  const outdir = options.outdir ?? join(dataDir, 'cdk.out');
  const isEmbedded = (options.platform ?? 'embedded') === 'embedded';
  const config = withOverrides(readConfig(dataDir), options.overrides ?? {});
  const addresses = publicAddresses(config);
  const login = readLogin(dataDir);
  const others = otherLogins(dataDir);
  await checkMachine(options.port, config);
  await removeLeftovers(dataDir, LEFT_BY_STARTS);
  await synthesis({ project, outdir, begin: () => step('synthesising the stack (once, until a source changes)') });

  step('starting the stack');
  const ports = await reserveStablePorts(join(dataDir, 'ports.json'), ['platform', 'repositories'], step);
  closers.push(() => releaseAll(Object.values(ports)));
  let platform: Platform | undefined;
  const runtime: Runtime = await startRuntime({
    ...options,
    ...(config.listen !== undefined && { host: config.listen }),
    ...proxiesOf(config),
    cloudAssembly: outdir,
    dataDir: join(dataDir, 'aws'),
    parameters: {
      ...stackParameters(config, programAddresses(ports)),
      ...(options.platform === 'aws-lambda' && { Platform: options.platform }),
      ...(remote && { PlatformUrl: remote.url }),
      ...options.parameters,
    },
    secrets: {
      StoresHookSecrets: JSON.stringify(config.hookSecrets ?? {}),
      ...(remote && { StoresPlatformToken: remote.token }),
    },
    warm: FIRST_PUSH,
    otherHosts: frontDoor({
      addresses,
      ports: () => ({
        platform: isEmbedded ? ports.platform.port : null,
        repositories: ports.repositories.port,
        signals: portOfSignals(runtime.template.outputs),
      }),
      hasApp: async (host) => (await platform?.hasHost(host)) ?? false,
    }),
    log: options.log ?? (() => {}),
    warn,
    notice: step,
  });
  closers.push(runtime.close);

  step(`starting ${isEmbedded ? 'the platform and ' : ''}the repository host`);
  if (isEmbedded) {
    platform = await startEmbedded(options, { config, runtime, port: ports.platform });
    closers.push(platform.close);
  }
  const platformUrl = remote?.url ?? platform?.url;
  const { ensureUser, keepUsers } = platform ?? (remote ? remoteUsers(remote) : stackUsers(runtime));
  for (const one of [login, ...others]) await forOperator(ensureUser(one));
  // Before messages are received again: a worker that is gone must not lock them out.
  const { messagesKeptUntil } = runtime;
  await runtime.invoke('Pipelinesweep', messagesKeptUntil === null ? { everything: true } : { messagesKeptUntil });
  const url = await runtime.open();
  if (url === undefined) throw new OperatorError('The template has no REST API.');
  const repoHost = await startRepoHost({
    dataDir: join(dataDir, 'repositories'),
    port: ports.repositories,
    // A repository deploys its default branch, which is what was pushed to it first.
    webhook: {
      url: `${url}/1/deploy?branch={default_branch}`,
      user: login.user,
      secret: login.password,
      owners: Object.fromEntries(others.map(({ user, password }) => [user, password])),
    },
    verify: platformUrl === undefined ? serviceLogin(url) : platformLogin(platformUrl),
    follower: fileURLToPath(new URL('show/follow-push.ts', import.meta.url)),
    log: warn,
  });
  closers.push(repoHost.close);
  closers.push(publishLogin(dataDir, { url, repositories: repoHost.url }, login));
  const takeIn = async ({ user, password }: Login) => {
    await ensureUser({ user, password });
    await repoHost.addOwner({ user, secret: password });
  };
  const keepOnly = async (names: readonly string[]) => {
    await keepUsers(names);
    await repoHost.keepOwners(names);
  };
  await removeOthers(dataDir, keepOnly);
  closers.push(watchUsers(dataDir, { takeIn, keepOnly, warn }));

  // Of what was pushed while nothing ran, nobody has told. Hosts may be slow or away, so the start does not wait for
  // them.
  void runtime.invoke('Pipelinereconcile', { everything: true }).catch(() => {});
  return { url, addresses, login, platform, platformUrl, repoHost, runtime, failed: runtime.failed };
}

interface EmbeddedParts {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly port: ReservedPort;
}

/** Starts the embedded platform, whose crashes are shown at once. */
function startEmbedded(options: StartOptions, { config, runtime, port }: EmbeddedParts): Promise<Platform> {
  const apps = publicAddresses(config)?.apps;
  return forOperator(
    startPlatform({
      dataDir: join(options.dataDir, 'platform'),
      port,
      ...(config.memoryLimits && { memoryLimits: config.memoryLimits }),
      ...(config.processLimits && { processLimits: config.processLimits }),
      ...(apps && { publicDomain: apps }),
      ...loginProxies(config),
      serviceToken: runtime.secretValue('StoresPlatformToken'),
      log: (event) => {
        options.onPlatformEvent?.(event);
        if (event.type === 'app.state') void watchApps(runtime, options);
      },
    }),
  );
}

/**
 * Does at once what the schedule does every minute. A failure is in the function's log, and the schedule repeats it.
 */
async function watchApps(runtime: Runtime, { onAppState = () => {} }: StartOptions): Promise<void> {
  await runtime.invoke('Pipelinewatchapps', {}).catch(() => {});
  onAppState();
}

/** Checks what can be checked before the seconds that the rest of the start takes. */
async function checkMachine(port: number, { listen }: Config): Promise<void> {
  checkDatabase();
  await gitCommand().read(['version']);
  await checkPort({ port, host: listen });
}

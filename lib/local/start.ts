import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { once } from '../../functions/core/concurrency.ts';
import { kept } from '../bundle/bundle.mjs';
import { bundlePage } from '../bundle/page.ts';
import { watchConditions } from '../engine/conditions.ts';
import { type Engine, openEngine } from '../engine/engine.ts';
import type { AccessRecord } from '../engine/http/serve.ts';
import { type EngineHttp, startHttp } from '../engine/http/server.ts';
import { storesIn } from '../engine/ports.ts';
import type { EngineSettings } from '../engine/settings.ts';
import { engineUsers } from '../engine/users.ts';
import { removeLeftovers } from '../files/atomic-file.ts';
import { openReserve } from '../files/disk-reserve.ts';
import { FULL_DISK, forOperator, isFull, OperatorError } from '../files/errors.ts';
import { messageOf } from '../http/http-error.ts';
import type { ProxyProof } from '../http/trusted-addresses.ts';
import type { Platform } from '../platform/platform.ts';
import type { PlatformEvent } from '../platform/settings.ts';
import { type Closers, closeAll } from '../process/closing.ts';
import { lockInstance } from '../process/instance-lock.ts';
import { gitCommand } from '../repohost/git/git.ts';
import type { OpenRepositories } from '../repohost/local-host.ts';
import type { RepoHost } from '../repohost/repohost.ts';
import { finishRestore } from './backup/restore.ts';
import { type Overrides, readConfig, withOverrides } from './config/config.ts';
import { proxyProof } from './config/proxy-proof.ts';
import { type PublicAddresses, proxiesOf, publicAddresses, signalsAt } from './config/public-addresses.ts';
import type { Config } from './config/schema.ts';
import { type EngineOverrides, settingsOf } from './config/settings.ts';
import { type Login, readLogin } from './config/users.ts';
import { applyUsers, usersVersion, watchUsers } from './config/watch-users.ts';
import { hostRouter } from './host-router.ts';
import { publishLogin } from './login.ts';
import { checkPort } from './port-check.ts';
import { holdsPort, removeUnbuilt, type StartedPlatform, startEmbedded } from './programs/platform.ts';
import { openOwn, ownHost, startRepositories } from './programs/repositories.ts';

interface StartOptions {
  /** Root of the checkout. */
  readonly project: string;
  /** Folder of everything that is kept. */
  readonly dataDir: string;
  /** Port of the API; 0 for any free one. */
  readonly port: number;
  /** Folder of the page's files; default: in `dataDir`. */
  readonly page?: string;
  /** Settings that win over those of the configuration file. */
  readonly overrides?: Overrides;
  /** Settings of the engine that no configuration file has, for tests. */
  readonly settings?: EngineOverrides;
  /** Called with what is being done, in a few words. */
  readonly step?: (what: string) => void;
  /** Receives what operators read. */
  readonly log?: (line: Readonly<Record<string, unknown>>) => void;
  readonly warn?: (sentence: string) => void;
  readonly onRequest?: (record: AccessRecord) => void;
  readonly onPlatformEvent?: (event: PlatformEvent) => void;
}

/** The whole service on this machine: the engine, the hosting platform and the repository host. */
export interface LocalService {
  /** Address of the API on this machine. */
  readonly url: string;
  /** Address of the WebSocket of signals on this machine. */
  readonly signalsUrl: string;
  /** Addresses from other machines, when there are any. */
  readonly addresses: PublicAddresses | undefined;
  readonly login: Login;
  readonly platform: Platform;
  readonly repoHost: RepoHost;
  readonly engine: Engine;
  /** Resolves with the reason when a part stops unexpectedly. */
  readonly failed: Promise<OperatorError>;
  /** Ends everything; deploys in progress go on at the next start. */
  close(): Promise<void>;
}

/**
 * Starts the service on this machine. A second start on the same folder finds applications, log and repositories again
 * and finishes the deploys that were in progress.
 *
 * @throws OperatorError with one sentence that says what is wrong and what to do
 */
export async function startLocal(options: StartOptions): Promise<LocalService> {
  const closers: Closers = [];
  const { warn = () => {} } = options;
  const close = once(() => closeAll(closers, { limitMs: CLOSE_LIMIT_MS, warn }));
  try {
    return { ...(await start(options, closers)), close };
  } catch (error) {
    await close();
    throw isFull(error) ? new OperatorError(FULL_DISK, { cause: error }) : error;
  }
}

const UNPROVEN =
  'Any program of this machine can say whose request it passes on, until Caddy proves itself: print its file again ("hooks server --caddy").';

/** The work tree of a first push, which a kill has interrupted. */
const LEFT_BY_STARTS = /^sample-\w{6}$/;

/** For the end of each part: longer than the platform takes to kill applications that ignore SIGTERM. */
const CLOSE_LIMIT_MS = 20_000;

/** Only 1.1.0 takes over the files of 1.0.0, and puts this one away: here its users and applications would be lost. */
function refuseEarlier(dataDir: string): void {
  if (!existsSync(join(dataDir, 'repositories', 'follow.mjs'))) return;
  throw new OperatorError(`${dataDir} is of version 1.0.0: start version 1.1.0 with it once, and then this one.`);
}

/** The order matters: deploys go on as soon as the platform, the API and the repositories are there. */
async function start(options: StartOptions, closers: Closers): Promise<Omit<LocalService, 'close'>> {
  const { dataDir, step = () => {}, warn = () => {} } = options;
  refuseEarlier(dataDir);
  // Before anything is written, which a full disk would refuse.
  const reserve = await openReserve({ folder: join(dataDir, 'reserve'), warn: step });
  closers.push(['the reserve of the disk', reserve.close]);
  const unlock = await lockInstance(join(dataDir, 'lock'));
  closers.push(['the lock', async () => unlock()]);
  await finishRestore(dataDir);
  const config = withOverrides(readConfig(dataDir), options.overrides ?? {});
  const login = readLogin(dataDir);
  await checkMachine(options, config);
  await removeLeftovers(dataDir, LEFT_BY_STARTS);
  const proof = proxyProof(dataDir);
  if (config.appsDomain !== undefined && !proof.isNeeded()) step(UNPROVEN);
  const { clock } = options.settings ?? {};
  const stores = await forOperator((async () => storesIn(dataDir, clock))());
  closers.push(['the database', stores.close]);
  await removeUnbuilt(dataDir, stores.tables);

  const users = engineUsers(stores.users, clock);
  const seen = usersVersion(dataDir);
  const names = await forOperator(applyUsers(dataDir, users));

  step('starting the platform');
  const onEvent = (event: PlatformEvent) => {
    options.onPlatformEvent?.(event);
    if (event.type === 'platform.damaged' && event.detail !== undefined) warn(event.detail);
  };
  const given = { tables: stores.tables, reserve, users: names, port: options.port };
  const platform = await startEmbedded({ dataDir, config, ...given, onEvent, warn: step });
  closers.push(['the platform', platform.close]);

  step('starting the service');
  const addresses = publicAddresses(config);
  const open = await openOwn(dataDir);
  const parts = {
    config,
    stores,
    users,
    platform,
    repositories: { port: platform.repositories.port, open },
    reserve,
    signalsUrl: (base: string) => addresses?.signals ?? signalsAt(base),
  };
  const engine = await openService(options, parts);
  closers.push(['the log', engine.close]);
  platform.onEvent(() => void engine.watchApps());
  const http = await listen(options, { config, addresses, proof, platform, engine });
  closers.push(['the API', http.close]);
  const url = `http://127.0.0.1:${http.port}`;

  const base = addresses?.service ?? url;
  const { repositories: port } = platform;
  const repositories = await startRepositories(open, { dataDir, port, base, engine, login, warn });
  const { host: repoHost } = repositories;
  closers.push(['the repository host', repoHost.close]);
  closers.push(['the addresses', publishLogin(dataDir, { url, repositories: repoHost.url }, login)]);
  const { tell, failing } = platform;
  const lookedAt = { dataDir, tokens: stores.tokens, users: users.names, tell, failing };
  const failed = (error: unknown) => options.log?.({ event: 'conditions not looked at', error: messageOf(error) });
  closers.push(['the look at disk and tokens', watchConditions(lookedAt, failed)]);
  const changed = [platform.serveUsers, repositories.changed];
  const watch = { seen, users, changing: engine.forgetLogins, changed, warn };
  closers.push(['the watch of the users', watchUsers(dataDir, watch)]);
  await engine.resume(repoHost.compare);
  return { url, signalsUrl: signalsAt(url), addresses, login, platform, repoHost, engine, failed: platform.failed };
}

interface EngineParts extends Pick<EngineSettings, 'stores' | 'users' | 'reserve' | 'signalsUrl'> {
  readonly config: Config;
  readonly platform: StartedPlatform;
  readonly repositories: { readonly port: number; readonly open: OpenRepositories };
}

async function openService(
  options: StartOptions,
  { config, platform, repositories, ...parts }: EngineParts,
): Promise<Engine> {
  const { project, dataDir, page = join(dataDir, 'page'), log = () => {} } = options;
  await keptPage(join(project, 'lib/page'), page);
  const { platform: replaced, ...settings } = options.settings ?? {};
  const all = {
    ...settingsOf(config, { repositories: repositories.port }),
    ownHost: ownHost(repositories.open),
    ...settings,
    dataDir,
    platform: replaced?.(platform) ?? platform,
    ...(platform.notice !== undefined && { notice: platform.notice }),
    ...parts,
    page: pathToFileURL(`${page}/`),
    log,
  };
  return forOperator((async () => openEngine(all))());
}

/** Bundles the page when it has changed. */
async function keptPage(source: string, outdir: string): Promise<void> {
  await kept(join(outdir, 'assets.json'), source, async () => {
    const made = await bundlePage(source, outdir);
    // Its process would stay for as long as this one.
    await (await import('esbuild')).stop();
    return made;
  });
}

/** The parts behind the API's port. */
interface Served {
  readonly config: Config;
  readonly addresses: PublicAddresses | undefined;
  readonly proof: ProxyProof;
  readonly platform: StartedPlatform;
  readonly engine: Engine;
}

/** Lets requests in. */
function listen(options: StartOptions, { config, addresses, proof, platform, engine }: Served): Promise<EngineHttp> {
  const ports = () => ({ platform: platform.door(), repositories: platform.repositories.port });
  const { endpoints, authorize, accounts, signals, clock, log, trace } = engine;
  return startHttp({
    endpoints,
    authorize,
    accounts,
    signals,
    clock,
    log,
    trace,
    ...proxiesOf(config, proof),
    ...(options.onRequest && { onRequest: options.onRequest }),
    publicUrl: addresses?.service ?? null,
    allowedOrigins: config.allowedOrigins ?? [],
    ...platform.api,
    signalsHost: addresses?.apps && new URL(addresses.signals).hostname,
    otherHosts: hostRouter({ addresses, ports, hasApp: platform.hasHost, isDomain: platform.hasDomain }),
  });
}

/** Checks what can be checked before the rest of the start. */
async function checkMachine({ dataDir, port }: StartOptions, { listen: host }: Config): Promise<void> {
  await gitCommand().read(['version']);
  if (!(await holdsPort(dataDir, port))) await checkPort({ port, host });
}

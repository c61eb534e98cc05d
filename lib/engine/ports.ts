import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chooseHost, type HostConfig, parseHosts } from '../../functions/adapters/hosts/configuration.ts';
import { type Hosts, openHosts } from '../../functions/adapters/hosts/open-hosts.ts';
import { keyFileSealer } from '../../functions/adapters/sealers/key-file.ts';
import { fileTarballs } from '../../functions/adapters/stores/file-tarballs.ts';
import { memoryFailures } from '../../functions/adapters/stores/memory/failure-memory.ts';
import { memoryRefusedCalls } from '../../functions/adapters/stores/memory/refused-calls.ts';
import { openStores, type SqliteStores } from '../../functions/adapters/stores/sqlite/open.ts';
import { systemClock } from '../../functions/adapters/system/clock.ts';
import { systemIds } from '../../functions/adapters/system/ids.ts';
import { tarballKey } from '../../functions/core/entry/entry.ts';
import { traceRecord } from '../../functions/core/entry/mask.ts';
import { DeployError, type ErrorCode } from '../../functions/core/errors.ts';
import { Feeds } from '../../functions/core/feed/feeds.ts';
import { ANY_APP, fetchToken } from '../../functions/core/host-tokens.ts';
import { loginThrottle, type ThrottlePorts } from '../../functions/core/limits/login-throttle.ts';
import type { Accounts, VerifyLogin } from '../../functions/core/ports/accounts.ts';
import type { HostToken } from '../../functions/core/ports/repository-host.ts';
import type { Clock, Trace } from '../../functions/core/ports/system.ts';
import { commitSignals } from './commit-signals.ts';
import { reservedFacts, reservedLog } from './reserved-log.ts';
import type { EngineSettings } from './settings.ts';

/** Calls during a request are answered within its 29 seconds, of which a host may take up to three calls. */
const DURING_A_REQUEST = { connectMs: 2_000, firstByteMs: 8_000, idleMs: 2_000 };

/** The ports of the service, bound to this machine. */
export type EnginePorts = ReturnType<typeof enginePorts>;

/** Opens the database of a data folder. Throws an Error with one sentence when it cannot be opened. */
export function storesIn(dataDir: string, clock: Pick<Clock, 'now'> = systemClock): SqliteStores {
  mkdirSync(dataDir, { recursive: true });
  return openStores({ path: join(dataDir, 'service.db'), clock, ids: systemIds });
}

/** Binds the ports to the stores and to files below `dataDir`. */
export function enginePorts(settings: EngineSettings) {
  const { dataDir, stores: opened, clock, log } = settings;
  const { hosting, builds, ...platform } = settings.platform;
  const ids = systemIds;
  const trace: Trace = (event, fields) => log(traceRecord(event, fields));
  const stores = {
    ...opened,
    log: reservedLog(opened.log, settings.reserve),
    stageLog: reservedLog(opened.stageLog, settings.reserve),
    facts: reservedFacts(opened.facts, settings.reserve),
  };
  const signals = commitSignals();
  stores.onCommit(signals.committed);
  const sealer = keyFileSealer(join(dataDir, 'token.key'));
  const configured = hostsOf(settings);
  const system = { clock, ids, trace };
  const { accounts, apiTokens } = settings.users;
  const failures = memoryFailures(clock);
  const verify = verifierOf(accounts, { failures, clock, trace });
  return {
    ...system,
    stores,
    signals,
    refused: memoryRefusedCalls(clock),
    feeds: new Feeds({ log: stores.reader, signals, clock }),
    sealer,
    tarballs: fileTarballs(join(dataDir, 'tarballs'), () => tarballsUnderWay(opened)),
    token: async (user: string, host: string): Promise<HostToken> => {
      if (host !== settings.ownHost?.name) return fetchToken({ tokens: stores.tokens, sealer }, user, host);
      // Within the process who has paired needs no secret.
      return (await stores.tokens.get(user, host, ANY_APP))?.login ?? null;
    },
    ...hostPorts(configured, settings.ownHost, verify),
    accounts,
    apiTokens,
    failures,
    verify,
    platform: hosting,
    buildOutput: builds,
    ...platform,
  };
}

/** The host of this process is of no kind that can be configured. */
function hostsOf({ repositoryHosts, ownHost }: EngineSettings): readonly HostConfig[] {
  const isOwn = ({ name }: HostConfig) => name === ownHost?.name;
  const others = repositoryHosts.filter((host) => !isOwn(host));
  return [...repositoryHosts.filter(isOwn), ...parseHosts(JSON.stringify(others))];
}

/** Returns the keys of the tarballs that a start may go on with. */
async function tarballsUnderWay({ unfinished, log }: SqliteStores): Promise<readonly string[]> {
  const entries = await Promise.all(unfinished().map(({ user, number }) => log.read(user, number)));
  return entries.flatMap((entry) => (entry ? tarballKey(entry) : []));
}

/** Returns what verifies logins by the accounts, and slows down those who guess as the API does. */
function verifierOf(accounts: Pick<Accounts, 'authenticate'>, ports: ThrottlePorts): VerifyLogin {
  const throttle = loginThrottle(ports);
  return async (user, secret) => {
    try {
      const { token } = await throttle({ user, secret, address: '' }, () => accounts.authenticate(user, secret));
      return token ?? true;
    } catch (error) {
      const isRefusal = error instanceof DeployError && WRONG_LOGIN.includes(error.code);
      if (isRefusal) return false;
      throw error;
    }
  };
}

const WRONG_LOGIN: readonly ErrorCode[] = ['mw:auth:unauthorized', 'mw:auth:no_username'];

function hostPorts(configured: readonly HostConfig[], ownHost: EngineSettings['ownHost'], verify: VerifyLogin) {
  const opened = ownHost && { opened: new Map([[ownHost.name, ownHost.open(verify)]]) };
  const duringRequests = openHosts(configured, { ...opened, timeouts: DURING_A_REQUEST });
  return {
    hosts: openHosts(configured, opened) as Hosts,
    hostsOfRequests: duringRequests,
    hostNames: configured.map(({ name }) => name),
    hostName: (kind: string, hostname: string | null) => chooseHost(configured, kind, hostname)?.name ?? null,
    hostAt: duringRequests.at,
  };
}

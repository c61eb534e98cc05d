import { join, resolve } from 'node:path';
import type { Tables } from '../../../functions/adapters/stores/sqlite/tables.ts';
import { NEWEST_LTS } from '../../builder/tools/node-hint.ts';
import type { DiskReserve } from '../../files/disk-reserve.ts';
import { forOperator, type OperatorError } from '../../files/errors.ts';
import { openPlatform, type Platform, type PlatformOptions } from '../../platform/platform.ts';
import type { PlatformEvent, PublicService } from '../../platform/settings.ts';
import { removeLeftovers } from '../../platform/store/leftovers.ts';
import { storedIn } from '../../platform/store/stored.ts';
import type { ServicePort } from '../../runner/door/service-ports.ts';
import { heldPorts, type RunnerOptions, socketIn, startRunner } from '../../runner/program/start.ts';
import { ownHosts, type PublicAddresses, publicAddresses } from '../config/public-addresses.ts';
import type { Config } from '../config/schema.ts';
import { isolationFor } from './isolation.ts';
import { runnerFiles } from './runner.ts';

const FOLDER = 'platform';

/** A port of the service, on which the runner listens and passes on what comes. */
export interface PassedPort {
  readonly port: number;
  /** The socket on which the service takes it. */
  readonly behind: string;
}

const API = { name: 'api', socket: 'api.sock' };
const REPOSITORIES = { name: 'repositories', socket: 'git.sock' };

interface EmbeddedOptions extends Pick<PlatformOptions, 'tables'>, Pick<RunnerOptions, 'warn'> {
  /** The port of the API; 0 for any free one. */
  readonly port: number;
  /** The users whose applications run. */
  readonly users: readonly string[];
  readonly dataDir: string;
  readonly config: Config;
  readonly onEvent: (event: PlatformEvent) => void;
  readonly reserve: DiskReserve;
}

/** The embedded platform, with the runner of its applications. */
export interface StartedPlatform extends Platform {
  /** The port of the applications' front door. */
  readonly door: () => number;
  readonly api: PassedPort;
  readonly repositories: PassedPort;
  /** Why applications are not isolated, and what changes it. */
  readonly notice?: string;
  /** Resolves with the reason when what runs the applications cannot be started any more. */
  readonly failed: Promise<OperatorError>;
}

/**
 * Removes what builds that were cut off have left. Before a start writes anything or looks for free space: it may be
 * what has filled the disk.
 */
export async function removeUnbuilt(dataDir: string, tables: Tables): Promise<void> {
  await forOperator(removeLeftovers(storedIn(join(dataDir, FOLDER), tables)));
}

/** Starts the embedded platform, and the runner of its applications where none runs. Throws `OperatorError`. */
export async function startEmbedded(options: EmbeddedOptions): Promise<StartedPlatform> {
  const { dataDir, config, tables, onEvent: log, reserve, users } = options;
  const settings = platformSettings(config, dataDir);
  const files = runnerFiles(dataDir);
  const warn = (detail: string) => {
    options.warn(detail);
    log({ type: 'platform.runner', detail });
  };
  let notice: string | undefined;
  const lacking = (sentence: string) => {
    notice = sentence;
    warn(sentence);
  };
  const [runner, isolation] = await Promise.all([
    forOperator(startRunner({ ...files, own: process.env, service: servicePorts(options), warn })),
    isolationFor(config, { hidden: resolve(dataDir), warn: lacking }).catch((error: unknown) => ({ error })),
  ]);
  const open = async () => {
    if (isolation && 'error' in isolation) throw isolation.error;
    return openPlatform({ ...settings, runner, tables, reserve, users, log, isolation, usualNode: NEWEST_LTS });
  };
  const platform = await forOperator(open()).catch(async (error: unknown) => {
    await runner.close();
    throw error;
  });
  const close = () => platform.close().finally(runner.close);
  const said = notice === undefined ? {} : { notice };
  const passed = ({ name, socket }: typeof API) => ({
    port: runner.ports[name] ?? 0,
    behind: socketIn(files.folder, socket),
  });
  return {
    ...platform,
    door: runner.door.port,
    api: passed(API),
    repositories: passed(REPOSITORIES),
    failed: runner.failed,
    ...said,
    close,
  };
}

function servicePorts({ port, config }: Pick<EmbeddedOptions, 'port' | 'config'>): readonly ServicePort[] {
  return [
    { ...API, port, host: config.listen },
    { ...REPOSITORIES, port: 'stable' },
  ];
}

/** Whether the runner of an earlier start listens on the port of the API for it. */
export async function holdsPort(dataDir: string, port: number): Promise<boolean> {
  const held = await heldPorts(runnerFiles(dataDir).folder);
  return held.some((one) => one.name === API.name && one.port === port);
}

/** Returns what the configuration says about the platform. */
function platformSettings(config: Config, dataDir: string): Omit<PlatformOptions, 'tables' | 'reserve' | 'runner'> {
  const addresses = publicAddresses(config);
  const publicDomain = addresses?.apps;
  const publicService = addresses && serviceOf(addresses);
  return {
    dataDir: join(dataDir, FOLDER),
    ...(config.cacheMegabytes !== undefined && { limits: { cacheBytes: config.cacheMegabytes * 1e6 } }),
    ...(config.memoryLimits && { memoryLimits: config.memoryLimits }),
    ...(config.processLimits && { processLimits: config.processLimits }),
    ...(publicDomain && { publicDomain }),
    ...(publicService && { publicService }),
  };
}

function serviceOf(addresses: PublicAddresses): PublicService {
  const { protocol, port } = new URL(addresses.service);
  return { protocol: protocol === 'https:' ? 'https:' : 'http:', port, names: ownHosts(addresses) };
}

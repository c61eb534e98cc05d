import { join } from 'node:path';
import { OperatorError } from '../../files/errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type { PlatformEvent, PublicService } from '../../platform/settings.ts';
import { apps } from '../../platform/store/apps.ts';
import { folders } from '../../platform/store/folders.ts';
import { removeLeftovers } from '../../platform/store/leftovers.ts';
import { snapshots } from '../../platform/store/snapshots.ts';
import { platformThread, type ThreadOptions } from '../../platform/thread/thread.ts';
import { type PublicAddresses, publicAddresses } from '../config/public-addresses.ts';
import type { Config } from '../config/schema.ts';
import { configuredUsers, FIRST_USER } from '../config/users.ts';
import { forOperator } from '../for-operator.ts';
import { ownHosts } from '../front-door/destination.ts';

const FOLDER = 'platform';

interface EmbeddedOptions extends Pick<ThreadOptions, 'ports' | 'reserve' | 'serviceToken'> {
  readonly dataDir: string;
  readonly config: Config;
  readonly onEvent: (event: PlatformEvent) => void;
  readonly warn: (sentence: string) => void;
}

/** The embedded platform as the other parts use it. */
export type EmbeddedPlatform = Omit<Platform, 'operations'>;

/**
 * Removes what builds that were cut off have left. Before a start writes anything or looks for free space: it may be
 * what has filled the disk.
 */
export async function removeUnbuilt(dataDir: string): Promise<void> {
  const platform = folders(join(dataDir, FOLDER));
  await forOperator(removeLeftovers(platform, apps(platform), snapshots(platform)));
}

/**
 * Starts the embedded platform in a thread. `failed` resolves with the reason when that ends unexpectedly. Throws
 * `OperatorError`.
 */
export async function startEmbedded(
  options: EmbeddedOptions,
): Promise<EmbeddedPlatform & { readonly failed: Promise<OperatorError> }> {
  const { dataDir, config, onEvent: log, warn, ports, reserve, serviceToken } = options;
  // The others are known when the store of the users is open.
  const users = configuredUsers(dataDir) ?? [FIRST_USER];
  const { failed, start, ...platform } = await platformThread({ log, warn });
  try {
    const url = await forOperator(start({ ...platformSettings(config, dataDir), ports, reserve, serviceToken, users }));
    return { ...platform, url, failed: failed.then(failure) };
  } catch (error) {
    await platform.close();
    throw error;
  }
}

/** Returns what the configuration says about the platform. */
export function platformSettings(
  config: Config,
  dataDir: string,
): Omit<ThreadOptions, 'serviceToken' | 'ports' | 'reserve'> {
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

/** Without the platform no application answers and no deploy ends. */
function failure(cause: Error): OperatorError {
  return new OperatorError(`The platform has ended unexpectedly (${cause.message}): start the service again.`, {
    cause,
  });
}

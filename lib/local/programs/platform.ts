import { join } from 'node:path';
import type { DiskReserve } from '../../files/disk-reserve.ts';
import type { ReservedPort } from '../../http/ports.ts';
import { type Platform, startPlatform } from '../../platform/platform.ts';
import type { PlatformEvent } from '../../platform/settings.ts';
import { apps } from '../../platform/store/apps.ts';
import { folders } from '../../platform/store/folders.ts';
import { removeLeftovers } from '../../platform/store/leftovers.ts';
import { snapshots } from '../../platform/store/snapshots.ts';
import { loginProxies } from '../config/proxies.ts';
import { publicAddresses } from '../config/public-addresses.ts';
import type { Config } from '../config/schema.ts';
import { forOperator } from '../for-operator.ts';

const FOLDER = 'platform';

/** Options of the embedded platform. */
export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly config: Config;
  readonly port: ReservedPort;
  /** With which the service acts for its users. */
  readonly serviceToken: string;
  /** Room on a full disk. */
  readonly reserve: DiskReserve;
  readonly onEvent: (event: PlatformEvent) => void;
}

/**
 * Removes what builds that were cut off have left. Before a start writes anything or looks for free space: it may be
 * what has filled the disk.
 */
export async function removeUnbuilt(dataDir: string): Promise<void> {
  const platform = folders(join(dataDir, FOLDER));
  await forOperator(removeLeftovers(platform, apps(platform), snapshots(platform)));
}

/** Starts the embedded platform. Throws `OperatorError`. */
export function startEmbedded(options: EmbeddedOptions): Promise<Platform> {
  const { dataDir, config, port, serviceToken, reserve, onEvent } = options;
  const publicDomain = publicAddresses(config)?.apps;
  return forOperator(
    startPlatform({
      dataDir: join(dataDir, FOLDER),
      port,
      ...(config.memoryLimits && { memoryLimits: config.memoryLimits }),
      ...(config.processLimits && { processLimits: config.processLimits }),
      ...(publicDomain && { publicDomain }),
      ...loginProxies(config),
      serviceToken,
      reserve,
      log: onEvent,
    }),
  );
}

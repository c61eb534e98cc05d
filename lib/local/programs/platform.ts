import { join } from 'node:path';
import { type Platform, startPlatform } from '../../platform/platform.ts';
import type { PlatformEvent } from '../../platform/settings.ts';
import type { DiskReserve } from '../../processes/disk-reserve.ts';
import type { ReservedPort } from '../../processes/ports.ts';
import { loginProxies } from '../config/proxies.ts';
import { publicAddresses } from '../config/public-addresses.ts';
import type { Config } from '../config/schema.ts';
import { forOperator } from '../for-operator.ts';

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

/** Starts the embedded platform. Throws `OperatorError`. */
export function startEmbedded(options: EmbeddedOptions): Promise<Platform> {
  const { dataDir, config, port, serviceToken, reserve, onEvent } = options;
  const apps = publicAddresses(config)?.apps;
  return forOperator(
    startPlatform({
      dataDir: join(dataDir, 'platform'),
      port,
      ...(config.memoryLimits && { memoryLimits: config.memoryLimits }),
      ...(config.processLimits && { processLimits: config.processLimits }),
      ...(apps && { publicDomain: apps }),
      ...loginProxies(config),
      serviceToken,
      reserve,
      log: onEvent,
    }),
  );
}

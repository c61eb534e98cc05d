import { join } from 'node:path';
import { once } from '../../../functions/core/concurrency.ts';
import { NEWEST_LTS } from '../../builder/tools/node-hint.ts';
import { openReserve } from '../../files/disk-reserve.ts';
import { lockInstance } from '../../process/instance-lock.ts';
import { startRunner } from '../../runner/program/start.ts';
import { startPlatform } from '../platform.ts';
import type { Log } from '../settings.ts';
import type { PlatformCommand } from './options.ts';

/** The platform as a separate program. */
export interface RunningPlatform {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts it. A second start on the same folder is refused; one after a kill continues. */
export async function runPlatform(command: PlatformCommand, log: Log): Promise<RunningPlatform> {
  const { dataDir } = command;
  const warn = (detail: string) => log({ type: 'platform.disk_full', detail });
  // Before anything is written, which a full disk would refuse.
  const reserve = await openReserve({ folder: join(dataDir, 'reserve'), warn });
  const unlock = await lockInstance(join(dataDir, 'lock')).catch(async (error: unknown) => {
    await reserve.close();
    throw error;
  });
  const runner = await startRunner({
    folder: dataDir,
    ports: join(dataDir, 'ports.json'),
    reserve: join(dataDir, 'reserve'),
    own: process.env,
    warn: (detail) => log({ type: 'platform.runner', detail }),
  });
  const end = async () => {
    await runner.close();
    await reserve.close();
    unlock();
  };
  const options = { ...command, reserve, runner, usualNode: NEWEST_LTS, log };
  const platform = await startPlatform(options).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return { url: platform.url, close: once(() => platform.close().finally(end)) };
}

import { join } from 'node:path';
import { once } from '../../../functions/core/concurrency.ts';
import { NEWEST_LTS } from '../../builder/tools/node-version.ts';
import { openReserve } from '../../files/disk-reserve.ts';
import { lockInstance } from '../../process/instance-lock.ts';
import { startPlatform } from '../platform.ts';
import type { Log } from '../settings.ts';
import type { PlatformCommand } from './options.ts';
import { takeUsers } from './users-file.ts';

/** The platform as a separate program. */
export interface RunningPlatform {
  readonly url: string;
  /** Reads the file of the users again. A file that cannot be read changes nothing and is logged. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** Starts it. A second start on the same folder is refused; one after a kill continues. */
export async function runPlatform(command: PlatformCommand, log: Log): Promise<RunningPlatform> {
  const { usersFile, dataDir } = command;
  const warn = (detail: string) => log({ type: 'platform.disk_full', detail });
  // Before anything is written, which a full disk would refuse.
  const reserve = await openReserve({ folder: join(dataDir, 'reserve'), warn });
  const unlock = await lockInstance(join(dataDir, 'lock')).catch(async (error: unknown) => {
    await reserve.close();
    throw error;
  });
  const end = async () => {
    await reserve.close();
    unlock();
  };
  // With `--url` there is a proxy of this machine in front.
  const options = { ...command, behindProxy: command.ownHost !== undefined, reserve, usualNode: NEWEST_LTS, log };
  const platform = await startPlatform(options).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const close = once(() => platform.close().finally(end));
  const reload = async () => {
    if (usersFile === undefined) return;
    log({ type: 'platform.users', detail: `${await takeUsers(usersFile, platform)} users` });
  };
  try {
    await reload();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: platform.url,
    reload: () =>
      reload().catch((error: unknown) =>
        log({ type: 'platform.error', detail: error instanceof Error ? error.message : '' }),
      ),
    close,
  };
}

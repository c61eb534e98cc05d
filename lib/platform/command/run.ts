import { join } from 'node:path';
import { once } from '../../../functions/core/concurrency.ts';
import { NEWEST_LTS } from '../../builder/tools/node-version.ts';
import { openReserve } from '../../files/disk-reserve.ts';
import { OperatorError } from '../../files/errors.ts';
import { privateText } from '../../files/state-file.ts';
import { messageOf } from '../../http/http-error.ts';
import { lockInstance } from '../../process/instance-lock.ts';
import { openRunner } from '../../runner/open.ts';
import { type Platform, startPlatform } from '../platform.ts';
import type { Log } from '../settings.ts';
import { checkedUser } from '../store/names.ts';
import { checkedPassword } from '../store/users.ts';
import type { PlatformCommand } from './options.ts';

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
  const runner = await openRunner({ folder: dataDir, own: process.env, reserve });
  const end = async () => {
    await runner.close();
    await reserve.close();
    unlock();
  };
  // With `--url` there is a proxy of this machine in front.
  const options = {
    ...command,
    behindProxy: command.ownHost !== undefined,
    reserve,
    runner,
    usualNode: NEWEST_LTS,
    log,
  };
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

/**
 * Has the platform know the users in a file and no others: a line `<user>:<password>` for each. Empty lines and those
 * that begin with # are left out. Throws an `OperatorError`, and changes nothing, when a line cannot be used or there
 * is none: a file that was cut off must not remove all users.
 */
export async function takeUsers(file: string, platform: Pick<Platform, 'ensureUser' | 'keepUsers'>): Promise<number> {
  const lines = privateText(file).split(/\r?\n/);
  const users = lines.flatMap((line, at) => (/^\s*(?:#|$)/.test(line) ? [] : [userIn(line, `${file}:${at + 1}`)]));
  const names = users.map(({ user }) => user);
  if (users.length === 0) throw new OperatorError(`${file} has no user: the users stay as they are.`);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw new OperatorError(`${file} has the user ${twice} twice.`);
  for (const user of users) await platform.ensureUser(user);
  await platform.keepUsers(names);
  return users.length;
}

function userIn(line: string, where: string) {
  const [, user, password] = /^([^:\s]+):(.+)$/.exec(line) ?? [];
  if (user === undefined || password === undefined) throw new OperatorError(`${where} is not <user>:<password>.`);
  try {
    return { user: checkedUser(user), password: checkedPassword(password) };
  } catch (cause) {
    throw new OperatorError(`${where}: ${messageOf(cause)}`, { cause });
  }
}

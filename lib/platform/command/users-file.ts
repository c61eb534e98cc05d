import { OperatorError } from '../../files/errors.ts';
import { privateText } from '../../files/state-file.ts';
import { messageOf } from '../http-error.ts';
import type { Platform } from '../platform.ts';
import { checkedUser } from '../store/names.ts';
import { checkedPassword } from '../store/users.ts';

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

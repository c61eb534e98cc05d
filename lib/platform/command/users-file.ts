import { OperatorError } from '../../processes/operator-error.ts';
import { privateText } from '../../processes/state-file.ts';
import type { Platform } from '../platform.ts';

/**
 * Has the platform know the users in a file and no others: a line `<user>:<password>` for each. Empty lines and those
 * that begin with # are left out. Nothing is changed when a line cannot be read.
 */
export async function takeUsers(file: string, platform: Pick<Platform, 'ensureUser' | 'keepUsers'>): Promise<number> {
  const lines = privateText(file).split(/\r?\n/);
  const users = lines.flatMap((line, at) => (/^\s*(?:#|$)/.test(line) ? [] : [userIn(line, `${file}:${at + 1}`)]));
  for (const user of users) await platform.ensureUser(user);
  await platform.keepUsers(users.map(({ user }) => user));
  return users.length;
}

function userIn(line: string, where: string) {
  const [, user, password] = /^([^:\s]+):(.+)$/.exec(line) ?? [];
  if (user !== undefined && password !== undefined) return { user, password };
  throw new OperatorError(`${where} is not <user>:<password>.`);
}

import { randomBytes } from 'node:crypto';
import { DeployError } from '../../../../core/errors.ts';
import type { Users } from '../../../../core/ports/accounts.ts';
import type { Clock } from '../../../../core/ports/system.ts';
import { hashPassword } from '../../../../core/secrets.ts';
import type { PlatformTable } from '../table/table.ts';
import { makeToken, tokensIn } from './api-tokens.ts';
import { isUserName, userKeys } from './user-items.ts';

/** Names of users are part of URLs and of names of functions. */
const NAME = /^[a-zA-Z0-9](?:[a-zA-Z0-9._-]{0,61}[a-zA-Z0-9])?$/;
const MIN_PASSWORD = 10;

export function tableUsers(parts: { readonly table: PlatformTable; readonly clock: Clock }): Users {
  const { table } = parts;
  const exists = async (user: string) => isUserName(user) && (await table.read(userKeys.user(user))) !== null;
  return {
    list: async () => {
      const items = await table.scan(userKeys.all(''));
      const names = items.flatMap(({ pk, sk }) => (sk === 'USER' ? [pk.slice(userKeys.all('').pk.length)] : []));
      return names
        .sort()
        .map((user) => ({ user, tokens: tokensIn(items.filter(({ pk }) => pk === userKeys.all(user).pk)) }));
    },
    add: async (user, password = randomBytes(20).toString('hex')) => {
      if (!NAME.test(user)) throw refused('A user name has up to 63 letters, digits, dots, dashes and underscores.');
      if (password.length < MIN_PASSWORD) throw refused(`A password has at least ${MIN_PASSWORD} characters.`);
      const record = { username: user };
      const fields = { record, password: await storedPassword(password) };
      if (await table.write(userKeys.user(user), fields, { exists: false })) return { user, password };
      throw refused(`There is a user ${user} already.`);
    },
    setPassword: async (user, password = randomBytes(20).toString('hex')) => {
      if (password.length < MIN_PASSWORD) throw refused(`A password has at least ${MIN_PASSWORD} characters.`);
      const changes = { password: await storedPassword(password) };
      if (isUserName(user) && (await table.write(userKeys.user(user), changes, { exists: true })))
        return { user, password };
      throw refused(`There is no user ${user}.`);
    },
    makeToken: async (user, name) => {
      if (!(await exists(user))) throw refused(`There is no user ${user}.`);
      const { token } = await makeToken(user, name, parts);
      return { user, name, token };
    },
    revokeToken: async (user, name) => isUserName(user) && table.remove(userKeys.token(user, name)),
    remove: async (user) => {
      if (!(await exists(user))) return false;
      for (const { sk } of await table.list(userKeys.all(user))) await table.remove({ ...userKeys.all(user), sk });
      return true;
    },
  };
}

function refused(detail: string): DeployError {
  return new DeployError('request:bad_parameter', detail);
}

/** Returns a new password as `checkLogin` reads it: `scrypt.<salt>.<hash>`. */
async function storedPassword(password: string): Promise<string> {
  const { salt, hash } = await hashPassword(password, randomBytes(16));
  return `scrypt.${salt}.${hash}`;
}

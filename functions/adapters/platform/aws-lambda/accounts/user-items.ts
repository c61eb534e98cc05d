import { hashToken, isPassword, looksLikeToken } from '../../../../core/secrets.ts';
import { isPathSegment } from '../../../../core/text.ts';
import type { Key, Partition, UserItem } from '../table/items.ts';
import type { PlatformTable } from '../table/table.ts';

export const userKeys = {
  all: (user: string): Partition<UserItem> => ({ pk: `U#${user}` }),
  user: (user: string): Key<UserItem> => ({ ...userKeys.all(user), sk: 'USER' }),
  token: (user: string, name: string): Key<UserItem> => ({ ...userKeys.all(user), sk: `T#${name}` }),
};

export interface ValidLogin {
  readonly by: 'password' | 'token';
  readonly item: UserItem;
}

/** Returns the login that a secret gives; null when it is wrong or there is no such user. */
export async function checkLogin(table: PlatformTable, user: string, secret: string): Promise<ValidLogin | null> {
  const items = isUserName(user) ? await table.list(userKeys.all(user)) : [];
  const item = items.find(({ sk }) => sk === 'USER');
  if (looksLikeToken(secret)) {
    const hash = hashToken(secret);
    return item && items.some((one) => one.hash === hash) ? { by: 'token', item } : null;
  }
  const [, salt = '', hash = ''] = item?.password?.split('.') ?? [];
  const isRight = await isPassword(secret, item && { salt, hash });
  return isRight && item ? { by: 'password', item } : null;
}

/** Whether there can be a user of this name: it is a segment of addresses, and part of a key of at most 2048 bytes. */
export function isUserName(user: string): boolean {
  return user.length <= 200 && isPathSegment(user);
}

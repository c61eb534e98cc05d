import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import { hashPassword, looksLikeToken } from '../../../functions/core/secrets.ts';
import { keyedBy, readState, writeState } from '../../files/state-file.ts';
import { HttpError } from '../../http/http-error.ts';
import { recordsIn } from './folders.ts';
import { checkedUser } from './names.ts';

const StoredTokenSchema = v.object({ name: v.string(), hash: v.string(), created_at: v.string() });
const StoredUserSchema = v.object({
  // The caller's document, stored unchanged, even without `username`.
  record: keyedBy(v.string(), v.unknown()),
  password: v.object({ salt: v.string(), hash: v.string() }),
  tokens: v.array(StoredTokenSchema),
  thirdparty: v.array(v.looseObject({ id: v.string() })),
});

/** A user as stored: the record, the password hash and the tokens. */
export type StoredUser = v.InferOutput<typeof StoredUserSchema>;

/** The users of the platform, each in a file. */
export interface Users {
  find(name: string): Promise<StoredUser | undefined>;
  /** Returns the user, or throws 404. */
  get(name: string): Promise<StoredUser>;
  /** Changes a user; changes of one user wait for each other. 404 when there is none. Returns the new state. */
  change(name: string, edit: (user: StoredUser) => StoredUser): Promise<StoredUser>;
  /** Adds a user; 409 when the name is taken, 400 when it or the password cannot be used. */
  create(name: string, password: string): Promise<void>;
  list(): Promise<readonly string[]>;
  /** Returns the user when there is one only; asked for each request by a name without a user. */
  only(): Promise<string | undefined>;
  /** Removes the user with the tokens; a second call does nothing. */
  remove(name: string): Promise<void>;
  /** Changes the user's password; 404 when there is no such user. */
  setPassword(name: string, password: string): Promise<void>;
}

/** Returns the users, which are files in `folder`, readable by the owner only. */
export function users(folder: string): Users {
  const withLock = keyedMutex();
  const path = (name: string) => join(folder, `${checkedUser(name)}.json`);
  const find = async (name: string) => readState(path(name), StoredUserSchema);
  const write = (name: string, user: StoredUser) => writeState(path(name), user, { durable: true, secret: true });
  const get = async (name: string) => {
    const user = await find(name);
    if (!user) throw new HttpError(404, `There is no user ${name}.`);
    return user;
  };
  const list = () => recordsIn(folder);
  let known: Promise<readonly string[]> | undefined;
  const changed = <T>(work: Promise<T>) =>
    work.finally(() => {
      known = undefined;
    });
  const change = (name: string, edit: (user: StoredUser) => StoredUser) =>
    withLock(name, async () => {
      const user = edit(await get(name));
      await write(name, user);
      return user;
    });
  return {
    find,
    get,
    change,
    create: (name, password) =>
      changed(
        withLock(name, async () => {
          if (await find(name)) throw new HttpError(409, `The user ${name} exists already.`);
          const hash = await hashPassword(checkedPassword(password), randomBytes(16));
          await write(name, { record: { username: name }, password: hash, tokens: [], thirdparty: [] });
        }),
      ),
    list,
    only: async () => {
      known ??= list();
      const [first, second] = await known;
      return second === undefined ? first : undefined;
    },
    remove: (name) => changed(withLock(name, () => rm(path(name), { force: true }))),
    setPassword: async (name, password) => {
      const hash = await hashPassword(checkedPassword(password), randomBytes(16));
      await change(name, (user) => ({ ...user, password: hash }));
    },
  };
}

/** Returns the password unchanged, or throws 400. */
export function checkedPassword(password: string): string {
  if (password.length > 0 && password.length <= 1024 && !looksLikeToken(password)) return password;
  throw new HttpError(400, 'A password has 1 to 1024 characters, and not the form of an API token.');
}

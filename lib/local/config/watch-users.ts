import { existsSync, statSync } from 'node:fs';
import { configFile } from './config.ts';
import { FIRST_USER, type Login, listUsers, readLogin } from './users.ts';

const INTERVAL_MS = 1000;

/** A part of the service that has users. */
interface UserList {
  /** Makes a user, or gives the user this password. */
  readonly takeIn: (login: Login) => Promise<void>;
  /** Gets the names of all users: others are removed. */
  readonly keepOnly: (names: readonly string[]) => Promise<void>;
}

/** Options of watching the users of the configuration. */
interface UserWatch extends UserList {
  /** Called before a change is applied, for what remembers logins. */
  readonly changing: () => void;
  readonly warn: (sentence: string) => void;
}

/**
 * Applies the users of the configuration, and each change of them, to the lists in their order. Returns a function that
 * ends that.
 */
export async function followUsers(
  dataDir: string,
  lists: readonly UserList[],
  watch: Pick<UserWatch, 'changing' | 'warn'>,
): Promise<() => Promise<void>> {
  const takeIn = async (login: Login) => {
    for (const list of lists) await list.takeIn(login);
  };
  const keepOnly = async (names: readonly string[]) => {
    for (const list of lists) await list.keepOnly(names);
  };
  await removeOthers(dataDir, keepOnly);
  return watchUsers(dataDir, { takeIn, keepOnly, ...watch });
}

/** Returns the logins of the users besides the first one. */
export function otherLogins(dataDir: string): readonly Login[] {
  const others = listUsers(dataDir).filter((user) => user !== FIRST_USER);
  return others.map((user) => readLogin(dataDir, user));
}

/**
 * Removes the users who are not in the configuration. Without the file nobody is removed: an editor may have moved it
 * away for a moment, and a restored backup may lack it.
 */
export async function removeOthers(dataDir: string, keepOnly: UserWatch['keepOnly']): Promise<void> {
  if (existsSync(configFile(dataDir))) await keepOnly(listUsers(dataDir));
}

/**
 * Takes users in that are added to the configuration while the service runs, and changed passwords, and removes those
 * who are taken out. A configuration that cannot be read changes nothing; it is warned of. Returns a function that ends
 * it.
 */
export function watchUsers(dataDir: string, { takeIn, keepOnly, changing, warn }: UserWatch): () => Promise<void> {
  const file = configFile(dataDir);
  let current = Promise.resolve();
  const changed = () => {
    current = current
      .then(async () => {
        changing();
        for (const login of otherLogins(dataDir)) await takeIn(login);
        await removeOthers(dataDir, keepOnly);
      })
      .catch((error: unknown) => warn(error instanceof Error ? error.message : String(error)));
  };
  // Not `fs.watchFile`: it takes its first look later, and a change before that is never reported.
  let seen = version(file);
  const timer = setInterval(() => {
    const now = version(file);
    if (now !== seen) changed();
    seen = now;
  }, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await current;
  };
}

/** Yields the differences after each change of a file. */
function version(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : '';
}

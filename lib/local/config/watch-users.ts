import { unwatchFile, watchFile } from 'node:fs';
import { configFile } from './config.ts';
import { FIRST_USER, type Login, listUsers, readLogin } from './users.ts';

const INTERVAL_MS = 1000;

/** What to do with the users of a changed configuration. */
export interface UserWatch {
  readonly takeIn: (login: Login) => Promise<void>;
  readonly warn: (sentence: string) => void;
}

/** Returns the logins of the users besides the first one. */
export function otherLogins(dataDir: string): readonly Login[] {
  const others = listUsers(dataDir).filter((user) => user !== FIRST_USER);
  return others.map((user) => readLogin(dataDir, user));
}

/**
 * Takes users in that are added to the configuration while the service runs, and changed passwords. A configuration
 * that cannot be read changes nothing; it is warned of. Returns what ends it.
 */
export function watchUsers(dataDir: string, { takeIn, warn }: UserWatch): () => Promise<void> {
  const file = configFile(dataDir);
  let current = Promise.resolve();
  const changed = () => {
    current = current
      .then(async () => {
        for (const login of otherLogins(dataDir)) await takeIn(login);
      })
      .catch((error: unknown) => warn(error instanceof Error ? error.message : String(error)));
  };
  watchFile(file, { interval: INTERVAL_MS, persistent: false }, changed);
  return async () => {
    unwatchFile(file, changed);
    await current;
  };
}

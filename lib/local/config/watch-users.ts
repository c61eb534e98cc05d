import { statSync } from 'node:fs';
import type { EngineUsers } from '../../engine/users.ts';
import { configFile } from './config.ts';
import { configuredUsers, listUsers, readLogin } from './users.ts';

const INTERVAL_MS = 1000;

interface UserWatch {
  /** The version of the configuration whose users were applied. */
  readonly seen: string;
  readonly users: Pick<EngineUsers, 'ensure' | 'remove' | 'names'>;
  /** Called before a change is applied, for what remembers logins. */
  readonly changing: () => void;
  /** All get the names of all users after a change, one change after the other; what fails is warned of. */
  readonly changed: readonly ((names: readonly string[]) => Promise<void>)[];
  readonly warn: (sentence: string) => void;
}

/**
 * Makes the users of the configuration those of the service, with their passwords, and removes all others. Without a
 * configuration nobody is removed. Returns the names of all.
 */
export async function applyUsers(
  dataDir: string,
  { ensure, remove, names }: UserWatch['users'],
): Promise<readonly string[]> {
  for (const name of listUsers(dataDir)) await ensure(readLogin(dataDir, name));
  const configured = configuredUsers(dataDir);
  const all = await names();
  for (const user of all) if (configured?.includes(user) === false) await remove(user);
  return configured ?? all;
}

/**
 * Applies changes of the users while the service runs. A configuration that cannot be read changes nothing; it is warned
 * of. Returns a function that ends it.
 */
export function watchUsers(dataDir: string, { users, changing, changed, warn, ...of }: UserWatch): () => Promise<void> {
  let current = Promise.resolve();
  const failed = (error: unknown) => warn(error instanceof Error ? error.message : String(error));
  const apply = () => {
    current = current
      .then(async () => {
        changing();
        const names = await applyUsers(dataDir, users);
        await Promise.all(changed.map((tell) => tell(names).catch(failed)));
      })
      .catch(failed);
  };
  // Not `fs.watchFile`: it takes its first look later, and a change before that is never reported.
  let { seen } = of;
  const timer = setInterval(() => {
    const now = usersVersion(dataDir);
    if (now !== seen) apply();
    seen = now;
  }, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await current;
  };
}

/** Returns a text that is another one after each change of the configuration. */
export function usersVersion(dataDir: string): string {
  const stat = statSync(configFile(dataDir), { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : '';
}

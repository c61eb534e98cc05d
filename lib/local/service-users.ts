import type { Login } from './config/users.ts';
import { removeOthers, watchUsers } from './config/watch-users.ts';
import type { Repositories } from './programs/repositories.ts';

/** The users of the service. */
export interface ServiceUsers {
  /** Makes a user, or gives the user this password. */
  ensureUser(login: Login): Promise<void>;
  /** Makes an API token of a user in place of the one of that name, if any, and returns it. */
  renewToken(login: Login, name: string): Promise<string>;
  /** Removes all other users with their API tokens; their applications stay. */
  keepUsers(names: readonly string[]): Promise<void>;
}

/** The users of the configuration, and who has to know them. */
export interface FollowedUsers {
  readonly dataDir: string;
  readonly users: ServiceUsers;
  readonly repositories: Repositories;
  readonly warn: (sentence: string) => void;
}

/** Applies the users of the configuration, and each change of them. Returns a function that ends that. */
export async function followUsers({ dataDir, users, repositories, warn }: FollowedUsers): Promise<() => Promise<void>> {
  const takeIn = async (login: Login) => {
    await users.ensureUser(login);
    await repositories.takeIn(login);
  };
  const keepOnly = async (names: readonly string[]) => {
    await users.keepUsers(names);
    await repositories.keepOnly(names);
  };
  await removeOthers(dataDir, keepOnly);
  return watchUsers(dataDir, { takeIn, keepOnly, warn });
}

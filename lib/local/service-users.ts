import type { Login } from './config/users.ts';

/** The users of the service. */
export interface ServiceUsers {
  /** Makes a user, or gives the user this password. */
  ensureUser(login: Login): Promise<void>;
  /** Makes an API token of a user in place of the one of that name, if any, and returns it. */
  renewToken(login: Login, name: string): Promise<string>;
  /** Removes all other users with their API tokens; their applications stay. */
  keepUsers(names: readonly string[]): Promise<void>;
}

import type { ApiToken } from './api-tokens.ts';

/** A user, as the operator sees it. */
export interface KnownUser {
  readonly user: string;
  readonly tokens: readonly ApiToken[];
}

/**
 * The users of a platform that belongs to the service, for its operator. All throw `request:bad_parameter` with a
 * reason.
 */
export interface Users {
  /** Returns all users by name, each with the API tokens without their values. */
  list(): Promise<readonly KnownUser[]>;
  /** Adds a user; without a password with a random one, which is shown this once. */
  add(user: string, password?: string): Promise<{ readonly user: string; readonly password: string }>;
  /** Replaces the password of a user, by default with a random one. */
  setPassword(user: string, password?: string): Promise<{ readonly user: string; readonly password: string }>;
  /** Makes an API token, which is shown this once. */
  makeToken(
    user: string,
    name: string,
  ): Promise<{ readonly user: string; readonly name: string; readonly token: string }>;
  /** Revokes an API token. Returns false when there is none of that name. */
  revokeToken(user: string, name: string): Promise<boolean>;
  /** Removes a user with all tokens. The applications stay. Returns false when there is no such user. */
  remove(user: string): Promise<boolean>;
}

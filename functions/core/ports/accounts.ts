import type { Credentials } from '../basic-auth.ts';

/** What an API token may: read only, or deploy too. */
export type Rights = 'read' | 'deploy';

/** The API token of a login. */
export interface UsedToken {
  readonly name: string;
  /** Absent: it may do what the password may, except for making tokens. */
  readonly rights?: Rights;
}

/** A user of the service. `record` is kept as it is, with fields that the service does not know. */
export interface Account {
  readonly user: string;
  readonly record: Readonly<Record<string, unknown>>;
  /** Of a login: the API token that it was with; absent for the password. */
  readonly token?: UsedToken;
}

export interface Accounts {
  /**
   * Returns the account that the credentials belong to. The secret is the password or an API token.
   * Throws `mw:auth:unauthorized` (no match), `mw:auth:no_username` (the record is in a bad state),
   * `mw:auth:auth_server_down` (the store does not answer, or the record is damaged), `request:throttled` (too many
   * passwords are being checked).
   */
  authenticate(user: string, secret: string): Promise<Account>;
  /** Returns the user's record. Throws `auth:repohost:get_user_failed`. */
  read(user: string): Promise<Account>;
  /** Replaces the user's record. Throws `auth:repohost:update_user_failed`. */
  update(account: Account): Promise<void>;
}

/**
 * Resolves with whether a secret is the password of a user, or with the API token that it is. Rejects when that cannot be told now, as
 * `Accounts.authenticate` does: with `request:throttled` when too many were wrong.
 */
export type VerifyLogin = (user: string, secret: string) => Promise<boolean | UsedToken>;

/** An API token without its secret. */
export interface ApiToken extends UsedToken {
  /** RFC 3339. */
  readonly createdAt: string;
}

/**
 * The API tokens of users. Every call is made with the user's own credentials, and throws `mw:auth:unauthorized` when
 * they are not, or no longer, valid, and `mw:auth:auth_server_down` when there is no answer.
 */
export interface ApiTokens {
  /** Returns the tokens of the user, oldest first. */
  list(login: Credentials): Promise<readonly ApiToken[]>;
  /**
   * Makes a token and returns it with its secret, which cannot be read again. Throws `mw:auth:unauthorized` unless the
   * login is with the password, and `request:bad_parameter` for a name that is taken or not allowed.
   */
  create(login: Credentials, name: string, rights?: Rights): Promise<ApiToken & { readonly token: string }>;
  /** Revokes a token. Returns false when there is none of that name. */
  revoke(login: Credentials, name: string): Promise<boolean>;
}

/** A user, as the operator sees it. */
interface KnownUser {
  readonly user: string;
  readonly tokens: readonly ApiToken[];
}

/**
 * The users of the service, for its operator. All throw `request:bad_parameter` with a
 * reason.
 */
export interface Users {
  /** Returns all users by name, each with the API tokens without their values. */
  list(): Promise<readonly KnownUser[]>;
  /** Adds a user. Generates a password if none is given; it is returned once. */
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

/** The users as stored, each as a document that only the core reads. */
export interface UserStore {
  /** Returns the document as of now; null when there is no such user. */
  read(user: string): Promise<string | null>;
  /** Writes a document in place of that one; null: of none. Returns false when another is there, or none. */
  write(user: string, document: string, replaced: string | null): Promise<boolean>;
  /** Removes a user. Returns false when there is none. */
  remove(user: string): Promise<boolean>;
  /** Returns the documents of all users by name, in the order of the names. */
  list(): Promise<ReadonlyMap<string, string>>;
}

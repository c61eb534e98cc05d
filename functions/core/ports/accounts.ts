/** A user of the platform. `record` is the platform's whole document, kept as it is. */
export interface Account {
  readonly user: string;
  readonly record: Readonly<Record<string, unknown>>;
}

/** The authentication server. */
export interface Accounts {
  /**
   * Returns the account that the credentials belong to. The secret is the password or an API token; the address is that
   * of the client, for platforms that slow down who guesses passwords.
   * Throws `mw:auth:unauthorized` (no match), `mw:auth:no_username` (the record is in a bad state),
   * `mw:auth:auth_server_down` (no answer in time, or one that is not understood), `request:throttled` (too many logins
   * are being checked, or too many were wrong).
   */
  authenticate(user: string, secret: string, address?: string): Promise<Account>;
  /** Returns the user's record. Throws `auth:repohost:get_user_failed`. */
  read(user: string): Promise<Account>;
  /** Replaces the user's record. Throws `auth:repohost:update_user_failed`. */
  update(account: Account): Promise<void>;
}

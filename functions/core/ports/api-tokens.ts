import type { Credentials } from '../basic-auth.ts';

/** An API token without its secret. */
export interface ApiToken {
  readonly name: string;
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
  create(login: Credentials, name: string): Promise<ApiToken & { readonly token: string }>;
  /** Revokes a token. Returns false when there is none of that name. */
  revoke(login: Credentials, name: string): Promise<boolean>;
}

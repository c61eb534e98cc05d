/** A stored token of a user for a repository host. */
export interface StoredToken {
  readonly host: string;
  /** The application it is restricted to, or `*`. */
  readonly app: string;
  readonly login: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly sealed: string;
}

/** The sealed tokens. */
export interface TokenStore {
  get(user: string, host: string, app: string): Promise<StoredToken | null>;
  /** Stores a token; it replaces that of the same host and application. */
  put(user: string, token: StoredToken): Promise<void>;
  /** Returns all tokens of the user, sorted by host and application. */
  list(user: string): Promise<readonly StoredToken[]>;
  /** Returns whether there was one to remove. */
  remove(user: string, host: string, app: string): Promise<boolean>;
}

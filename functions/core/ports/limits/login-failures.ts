/** Who tries to log in, and from where. */
export interface LoginSource {
  /** The name that was sent, whether there is such a user or not. */
  readonly user: string;
  /** The address of the client, or the network of one. */
  readonly address: string;
}

/** The wrong passwords that are remembered. */
export interface LoginFailures {
  /** Those for the user from the address. */
  readonly here: number;
  /** Until when no further password may be tried there, in milliseconds since 1970. */
  readonly pauseUntil: number;
  /** Those for the user from any address. */
  readonly ofUser: number;
  /** Those from the address for any user. */
  readonly ofAddress: number;
}

/** The memory of wrong passwords. It forgets those of a user and an address an hour after the last one. */
export interface FailureMemory {
  read(source: LoginSource): Promise<LoginFailures>;
  /**
   * Begins a pause for the user and the address. Returns whether the caller may try a password: only one of those that
   * have read the same pause.
   */
  beginPause(source: LoginSource, seen: LoginFailures, until: number): Promise<boolean>;
  /** Adds a wrong password. */
  add(source: LoginSource): Promise<void>;
  /** Forgets those for the user from the address; those of the user and of the address are kept. */
  forget(source: LoginSource): Promise<void>;
}

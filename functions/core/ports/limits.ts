/** Who tries to log in, and from where. */
export interface LoginSource {
  /** The name that was sent, whether there is such a user or not. */
  readonly user: string;
  /** The address of the client, or the network of one. */
  readonly address: string;
}

export interface LoginFailures {
  /** Wrong passwords for the user from the address. */
  readonly here: number;
  /** Until when no further password may be tried there, in milliseconds since 1970. */
  readonly pauseUntil: number;
  /** Wrong passwords for the user from any address. */
  readonly ofUser: number;
  /** Wrong passwords from the address for any user. */
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

/** One open stream's slots, one of its user and one of the service, until a time. */
export interface StreamLease {
  readonly id: string;
  readonly user: string;
  /** The numbers of its slots. */
  readonly slots: { readonly user: number; readonly service: number };
}

/** Why another stream cannot be opened. */
export interface NoFreeSlot {
  /** The slots that are all taken: those of the user, or those of the service. */
  readonly taken: 'user' | 'service';
  readonly slots: number;
  /** The latest time at which one is free, in milliseconds since 1970. */
  readonly freeAt: number;
}

/** The slots for open streams: a fixed number for each user, and one for all users together. */
export interface StreamLeases {
  /**
   * Returns a lease until a time, in milliseconds since 1970. Its slots are free again then, also when it was not
   * released.
   */
  acquire(user: string, until: number): Promise<StreamLease | NoFreeSlot>;
  /** Frees the slots of a lease. A lease that has expired is ignored, because its slots may be another stream's. */
  release(lease: StreamLease): Promise<void>;
}

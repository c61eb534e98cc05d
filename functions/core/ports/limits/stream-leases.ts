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
  /** The number of slots. */
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

/** A place for one open stream. */
export interface StreamLease {
  readonly id: string;
  readonly user: string;
  /** The number of the place among those of its user, and among those of the service. */
  readonly places: { readonly user: number; readonly service: number };
}

/** Why there is no place for another stream. */
export interface NoPlace {
  /** Whose places are taken: those of the user, or all. */
  readonly taken: 'user' | 'service';
  /** How many there are. */
  readonly places: number;
  /** When one is free at the latest, in milliseconds since 1970. */
  readonly freeAt: number;
}

/** The places for open streams: so many for each user, and so many for all users together. */
export interface StreamLeases {
  /**
   * Takes a place until a time, in milliseconds since 1970; then it is free again, whether it was given back or not.
   */
  take(user: string, until: number): Promise<StreamLease | NoPlace>;
  /** Gives a place back. One that has expired, and may be another stream's by now, is left alone. */
  giveBack(lease: StreamLease): Promise<void>;
}

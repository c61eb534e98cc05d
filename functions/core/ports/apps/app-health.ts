/** The log that an application writes to, and the stream of the instance that has ended. */
export interface EndedInstance {
  readonly group: string;
  readonly stream: string;
}

/**
 * What a platform has to be asked for to know that applications crash. One that tells it by itself, by its events, does
 * nothing here.
 */
export interface AppHealth {
  /** Finds out whether an application still answers after one of its instances has ended. */
  ended(instance: EndedInstance): Promise<void>;
  /** Finds out whether an application that has crashed answers again. */
  recheck(): Promise<void>;
}

/** The log's record of an application. */
export interface AppFact {
  /** The name in package.json, with its scope. */
  readonly name: string;
  /** Number of the entry whose deploy the application runs; null when there is none. */
  readonly active: number | null;
  /** Number of its entries. */
  readonly entries: number;
}

/** Facts about the applications of users. */
export interface AppFacts {
  /**
   * Returns the facts about each of the user's applications. The cost depends on their number, not on the entries'.
   */
  apps(user: string): Promise<readonly AppFact[]>;
  /**
   * Returns the number of the last entry that overruled the earlier deploys of an application
   * (`AppendRequest.overrules`), by the platform's name of it; 0 when there is none.
   */
  overruledUntil(user: string, app: string): Promise<number>;
  /** Returns the order of the last deploy that claimed the application for its start; 0 before the first. */
  claimedOrder(user: string, app: string): Promise<number>;
}

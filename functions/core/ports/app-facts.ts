/** What the log knows of an application. */
export interface AppFact {
  /** The name in package.json, with its scope. */
  readonly name: string;
  /** Number of the entry whose deploy the application runs; null when there is none. */
  readonly active: number | null;
}

/** Facts about the applications of users. */
export interface AppFacts {
  /** Returns what is known of each of the user's applications. The cost depends on their number, not on the entries'. */
  apps(user: string): Promise<readonly AppFact[]>;
}

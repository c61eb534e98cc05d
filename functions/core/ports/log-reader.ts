import type { Entry } from '../entry/entry.ts';

/** A change of the feed: the entry as it was at that time, with its `seq`. */
export type Change = Entry;

/** The state that the badge of a repository shows. */
export type Badge = 'ok' | 'failed' | 'crashed' | 'deploying' | 'held' | 'unknown';

/** The entries of a page of the log. */
export interface PageQuery {
  readonly user: string;
  readonly app: string | null;
  readonly skip: number;
  readonly limit: number;
}

/** A page of the log, newest first. `total` counts all entries of the user, or of the application. */
export interface Page {
  readonly total: number;
  readonly entries: readonly Entry[];
}

/** Reads the log. */
export interface LogReader {
  read(user: string, number: number): Promise<Entry | null>;
  /** The cost does not depend on `skip`. */
  page(query: PageQuery): Promise<Page>;
  /**
   * Returns up to `limit` changes after `since`, in order. The read is not a snapshot: a change may be missing although
   * a later one is there.
   */
  changes(user: string, since: number, limit: number): Promise<readonly Change[]>;
  /** Returns the number of the user's last change; 0 before the first. */
  last(user: string): Promise<number>;
  /** Returns the badge of a repository, or of the application in that folder of it. */
  badge(user: string, repository: string, path?: string): Promise<Badge>;
}

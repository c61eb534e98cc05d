import type { Entry } from '../entry/entry.ts';

/** A change of the feed: the entry as it stood then, with its `seq`. */
export type Change = Entry;

/** What the badge of a repository shows. */
export type Badge = 'ok' | 'failed' | 'deploying' | 'held' | 'unknown';

/** Which entries a page shows. */
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

/** The log, as readers see it. */
export interface LogReader {
  read(user: string, number: number): Promise<Entry | null>;
  /** The cost does not depend on `skip`. */
  page(query: PageQuery): Promise<Page>;
  /** Up to `limit` changes after `since`, contiguous and in order. */
  changes(user: string, since: number, limit: number): Promise<readonly Change[]>;
  /** Number of the user's last change; 0 before the first. */
  last(user: string): Promise<number>;
  badge(user: string, repository: string): Promise<Badge>;
}

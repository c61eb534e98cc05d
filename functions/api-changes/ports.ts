import type { Feeds } from '../core/feed/feeds.ts';
import type { FollowPorts } from '../core/feed/follow.ts';
import type { Accounts } from '../core/ports/accounts.ts';
import type { LogReader } from '../core/ports/log-reader.ts';

/** The ports and settings of streaming changes. */
export interface ChangesPorts extends FollowPorts {
  readonly log: Pick<LogReader, 'last'>;
  readonly accounts: Pick<Accounts, 'authenticate'>;
  readonly feeds: Feeds;
  /** Seconds after which the service ends a stream. */
  readonly seconds: number;
  readonly trace: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

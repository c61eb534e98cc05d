import type { Feeds } from '../core/feed/feeds.ts';
import type { FollowPorts } from '../core/feed/follow.ts';
import type { LeasePorts } from '../core/limits/leased-stream.ts';
import type { Accounts } from '../core/ports/accounts.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { LogReader } from '../core/ports/log-reader.ts';

/** The ports and settings of streaming changes. */
export interface ChangesPorts extends FollowPorts, LeasePorts {
  readonly log: Pick<LogReader, 'last'>;
  readonly accounts: Pick<Accounts, 'authenticate'>;
  readonly feeds: Feeds;
  readonly clock: Clock;
}

import type { Feeds } from '../core/feeds.ts';
import type { FollowPorts } from '../core/follow.ts';
import type { LogReader } from '../core/ports/deploy-log.ts';

/** What streaming changes needs. */
export interface ChangesPorts extends FollowPorts {
  readonly log: Pick<LogReader, 'last'>;
  readonly feeds: Feeds;
  /** Seconds after which a stream ends itself. */
  readonly seconds: number;
  readonly trace: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

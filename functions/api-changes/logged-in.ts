import type { Feed } from '../core/feed/feed.ts';
import { type FeedEvent, type FollowPorts, follow, type ReadOptions } from '../core/feed/follow.ts';

/** How often the login of an open stream is checked again: as long as the login before a request is remembered. */
const CHECK_LOGIN_MS = 60_000;

/** The ports of following a feed for a reader with a login. */
export interface LoggedInPorts extends FollowPorts {
  /** Returns whether the login is still valid; true also when that cannot be found out. */
  readonly isLoggedIn: () => Promise<boolean>;
}

/**
 * Yields the events of a feed as `follow` does, and ends with `timeout` when the reader's login is no longer valid: it
 * connects again, and is refused.
 */
export async function* followLoggedIn(
  feed: Feed,
  options: ReadOptions,
  { clock, isLoggedIn }: LoggedInPorts,
): AsyncGenerator<FeedEvent, void> {
  let { since, limit } = options;
  for (;;) {
    const endsAt = Math.min(options.endsAt, clock.now() + CHECK_LOGIN_MS);
    for await (const event of follow(feed, { ...options, since, limit, endsAt }, { clock })) {
      since = event.last;
      if (event.kind === 'timeout') break;
      yield event;
      if (event.kind === 'done') return;
      if (event.kind === 'changes') limit -= event.changes.length;
    }
    if (endsAt >= options.endsAt || !(await isLoggedIn())) return yield { kind: 'timeout', last: since };
    // A heartbeat that was due later would never come.
    if (options.heartbeatMs > CHECK_LOGIN_MS) yield { kind: 'heartbeat', last: since };
  }
}

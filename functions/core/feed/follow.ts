import type { StreamLogin } from '../login.ts';
import type { Change } from '../ports/log.ts';
import type { Clock } from '../ports/system.ts';
import type { Feed } from './feed.ts';

/** When a reader is done: never, after the first changes, or when it has read all changes that there are. */
type FeedMode = 'continuous' | 'longpoll' | 'normal';

export interface ReadOptions {
  /** The cursor: only changes after it are returned. */
  readonly since: number;
  readonly mode: FeedMode;
  /** Maximum number of changes. */
  readonly limit: number;
  /** Only changes of this application; null for all. */
  readonly app: string | null;
  /** Time without any event after which a heartbeat is due. */
  readonly heartbeatMs: number;
  /** When reading ends in any case, in milliseconds since 1970. */
  readonly endsAt: number;
  /** Ends it earlier. */
  readonly gone?: AbortSignal | undefined;
}

/** An event for a reader. `last` is the cursor after it: reading on from there neither loses nor repeats a change. */
export type FeedEvent =
  | { readonly kind: 'changes'; readonly changes: readonly Change[]; readonly last: number }
  | { readonly kind: 'heartbeat'; readonly last: number }
  /** The mode or the limit of the reader is fulfilled. */
  | { readonly kind: 'done'; readonly last: number }
  | { readonly kind: 'timeout'; readonly last: number };

interface FollowPorts {
  readonly clock: Clock;
  readonly login: StreamLogin;
}

/**
 * Yields the changes of a feed, each once and in order, until the reader has enough (`done`), its time has ended or its
 * login is no longer valid (`timeout`: it connects again, and may be refused), or it stops iterating. Nothing is read
 * ahead: a slow reader holds one batch at most. Throws what reading the log throws.
 */
export async function* follow(
  feed: Feed,
  options: ReadOptions,
  { clock, login }: FollowPorts,
): AsyncGenerator<FeedEvent, void> {
  let cursor = options.since;
  let returned = 0;
  let lastEventAt = clock.now();
  const { gone, endsAt } = options;
  let leave = () => {};
  // Once, because a stream waits after every change.
  gone?.addEventListener('abort', () => leave(), { once: true });
  while (clock.now() < endsAt && !gone?.aborted) {
    const { changes, last } = await feed.after(cursor);
    const wanted = changes.filter((change) => options.app === null || change.appName === options.app);
    const passing = wanted.slice(0, options.limit - returned);
    returned += passing.length;
    const isFull = returned === options.limit;
    const moved = last > cursor;
    cursor = isFull ? (passing.at(-1)?.seq ?? cursor) : last;
    if (passing.length > 0) {
      yield { kind: 'changes', changes: passing, last: cursor };
      lastEventAt = clock.now();
    }
    const caughtUp = !moved && (options.mode === 'normal' || (options.mode === 'longpoll' && returned > 0));
    if (isFull || caughtUp) {
      yield { kind: 'done', last: cursor };
      return;
    }
    const until = Math.min(lastEventAt + options.heartbeatMs, endsAt, login.checkAt, feed.checkAt);
    if (!moved && !gone?.aborted) {
      await new Promise<void>((resolve) => {
        const stop = feed.wait(cursor, until, resolve);
        leave = () => {
          stop();
          resolve();
        };
      });
    }
    if (clock.now() >= feed.checkAt) await feed.check();
    if (clock.now() < endsAt && (await login.hasLapsed())) break;
    if (clock.now() >= lastEventAt + options.heartbeatMs) {
      yield { kind: 'heartbeat', last: cursor };
      lastEventAt = clock.now();
    }
  }
  yield { kind: 'timeout', last: cursor };
}

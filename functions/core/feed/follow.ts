import type { Clock } from '../ports/clock.ts';
import type { Change } from '../ports/log-reader.ts';
import type { Pause } from '../ports/pause.ts';
import type { Feed } from './feed.ts';

/** When a reader has enough: never, after the first changes, or when it has seen all there is. */
export type FeedMode = 'continuous' | 'longpoll' | 'normal';

/** What a reader wants to see of a feed. */
export interface Reading {
  /** The cursor: changes after it are given. */
  readonly since: number;
  readonly mode: FeedMode;
  /** Most changes that are given. */
  readonly limit: number;
  /** Only those of one application; null for all. */
  readonly app: string | null;
  /** Milliseconds of silence after which a sign of life is due. */
  readonly heartbeat: number;
  /** When the reading ends in any case, in milliseconds since 1970. */
  readonly endsAt: number;
}

/** What happens to a reader. `last` is the cursor behind it: to read on from there loses and doubles nothing. */
export type FeedEvent =
  | { readonly kind: 'changes'; readonly changes: readonly Change[]; readonly last: number }
  /** Nothing has happened for a heartbeat. */
  | { readonly kind: 'quiet'; readonly last: number }
  /** The reader has all it asked for. */
  | { readonly kind: 'done'; readonly last: number }
  | { readonly kind: 'timeout'; readonly last: number };

/** What following needs of the world. */
export interface FollowPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly pause: Pause;
}

/**
 * Reads a feed on, each change once and in order, until the reader has enough, its time is over (`done` and `timeout` are
 * the last events) or it stops asking. Nothing is read before it is asked for: a slow reader holds a batch, never more.
 * Throws what reading the log throws.
 */
export async function* follow(feed: Feed, reading: Reading, ports: FollowPorts): AsyncGenerator<FeedEvent, void> {
  const { now } = ports.clock;
  let cursor = reading.since;
  let given = 0;
  let spokeAt = now();
  while (now() < reading.endsAt) {
    const { changes, last } = await feed.after(cursor);
    const wanted = changes.filter((change) => reading.app === null || change.appName === reading.app);
    const passing = wanted.slice(0, reading.limit - given);
    given += passing.length;
    const isFull = given === reading.limit;
    const moved = last > cursor;
    cursor = isFull ? (passing.at(-1)?.seq ?? cursor) : last;
    if (passing.length > 0) {
      yield { kind: 'changes', changes: passing, last: cursor };
      spokeAt = now();
    }
    const caughtUp = !moved && (reading.mode === 'normal' || (reading.mode === 'longpoll' && given > 0));
    if (isFull || caughtUp) {
      yield { kind: 'done', last: cursor };
      return;
    }
    if (!moved) await quiet(feed, cursor, Math.min(spokeAt + reading.heartbeat, reading.endsAt), ports);
    if (now() >= spokeAt + reading.heartbeat) {
      yield { kind: 'quiet', last: cursor };
      spokeAt = now();
    }
  }
  yield { kind: 'timeout', last: cursor };
}

/** Waits for news, at most until then; the counter of the log is looked at in between. */
async function quiet(feed: Feed, cursor: number, until: number, { clock, pause }: FollowPorts): Promise<void> {
  const waits = Math.min(until, feed.checkAt) - clock.now();
  if (waits > 0) await pause.until(waits, (wake) => feed.onNews(cursor, wake));
  if (clock.now() >= feed.checkAt) await feed.check();
}

import { Feed, type FeedPorts } from './feed.ts';

interface Shared {
  readonly feed: Feed;
  readers: number;
}

/** The feeds of a process: all readers of one user share one, as long as there are any. */
export class Feeds {
  readonly #ports: FeedPorts;
  readonly #shared = new Map<string, Shared>();

  constructor(ports: FeedPorts) {
    this.#ports = ports;
  }

  /**
   * The user's feed, for a reader that has just read `last` as the number of the last change. Who enters has to `leave`
   * with what it got.
   */
  enter(user: string, last: number): Feed {
    const known = this.#shared.get(user);
    if (known && !known.feed.failed) {
      known.readers += 1;
      known.feed.hear(last);
      return known.feed;
    }
    // One that has failed is left to the readers it has; they are ending.
    const feed = new Feed(this.#ports, user, last);
    this.#shared.set(user, { feed, readers: 1 });
    return feed;
  }

  /** Ends a reader's part; the last one closes the feed. */
  leave(user: string, feed: Feed): void {
    const known = this.#shared.get(user);
    const isShared = known?.feed === feed;
    if (isShared) known.readers -= 1;
    if (isShared && known.readers > 0) return;
    if (isShared) this.#shared.delete(user);
    feed.close();
  }
}

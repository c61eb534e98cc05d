import { Feed, type FeedPorts } from './feed.ts';

interface Shared {
  readonly feed: Feed;
  readers: number;
}

/** The feeds of a process: all readers of a user share one for as long as there are any. */
export class Feeds {
  readonly #ports: FeedPorts;
  readonly #shared = new Map<string, Shared>();

  constructor(ports: FeedPorts) {
    this.#ports = ports;
  }

  /**
   * Returns the user's feed, for a reader that has just read `last` as the number of the last change. The reader must
   * `release` it.
   */
  acquire(user: string, last: number): Feed {
    const known = this.#shared.get(user);
    if (known && !known.feed.failed) {
      known.readers += 1;
      known.feed.notify(last);
      return known.feed;
    }
    // A feed that has failed keeps its current readers, which are ending.
    const feed = new Feed(this.#ports, user, last);
    this.#shared.set(user, { feed, readers: 1 });
    return feed;
  }

  /** Gives the feed back; the last reader closes it. */
  release(user: string, feed: Feed): void {
    const known = this.#shared.get(user);
    const isShared = known?.feed === feed;
    if (isShared) known.readers -= 1;
    if (isShared && known.readers > 0) return;
    if (isShared) this.#shared.delete(user);
    feed.close();
  }
}

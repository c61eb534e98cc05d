import { Feed, type FeedPorts } from './feed.ts';

interface SharedFeed {
  readonly feed: Feed;
  readers: number;
}

/** The feeds of a process. All readers of a user share one feed, which is closed with the last of them. */
export class Feeds {
  readonly #ports: FeedPorts;
  readonly #shared = new Map<string, SharedFeed>();

  constructor(ports: FeedPorts) {
    this.#ports = ports;
  }

  /**
   * Returns the user's feed, for a reader that has just read `last` as the number of the last change. The reader must
   * `release` it.
   */
  acquire(user: string, last: number): Feed {
    const shared = this.#shared.get(user);
    if (shared && !shared.feed.failed) {
      shared.readers += 1;
      shared.feed.notify(last);
      return shared.feed;
    }
    // A feed that has failed keeps its current readers, which are ending.
    const feed = new Feed(this.#ports, user, last);
    this.#shared.set(user, { feed, readers: 1 });
    return feed;
  }

  /** Ends a reader's use of the feed; the last release closes it. */
  release(user: string, feed: Feed): void {
    const shared = this.#shared.get(user);
    const isShared = shared?.feed === feed;
    if (isShared) shared.readers -= 1;
    if (isShared && shared.readers > 0) return;
    if (isShared) this.#shared.delete(user);
    feed.close();
  }
}

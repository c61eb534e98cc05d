import type { Clock } from '../ports/clock.ts';
import type { Change, LogReader } from '../ports/log-reader.ts';
import type { Signals, Subscription } from '../ports/signals.ts';

/** What following a user's changes needs. */
export interface FeedPorts {
  readonly log: Pick<LogReader, 'changes' | 'last'>;
  readonly signals: Signals;
  readonly clock: Clock;
}

/** Some changes in their order, and the cursor behind them. */
export interface Batch {
  readonly changes: readonly Change[];
  /** May be beyond the last of `changes` when those between have expired. */
  readonly last: number;
}

/** Changes that are read at once: what a slow reader may hold, and one with its document may have 100 kB. */
const READ = 32;
/** Newest changes that are kept for readers that follow closely; who is further behind reads for itself. */
const KEPT = 256;
/** Milliseconds between two looks at the counter of the log, which find what no signal told. */
const CHECK_MS = 30_000;
/**
 * Milliseconds between reads that do not bring the change that must come next. A row may show a moment after the row
 * behind it, because reads are no snapshot; what is still missing after all of them has expired.
 */
const SETTLE_MS = [20, 50, 100, 200, 400];
/** Milliseconds between tries of a read that failed; then the feed ends. */
const RETRY_MS = [100, 400, 1600];

/**
 * The changes of one user, as one process follows them for all its readers: one subscription, one read of the log at a
 * time, and the newest changes in memory. It subscribes when somebody first waits, so that who only reads costs nothing.
 *
 * Exactness does not depend on signals: `tail` only moves over changes that are there, each the next one, whether it was
 * read or came with a signal; and what was heard of but is not there yet (`heard > tail`) is the dirty flag that has the
 * reading go on.
 */
export class Feed {
  readonly #ports: FeedPorts;
  readonly #user: string;
  readonly #listeners = new Set<() => void>();
  #kept: readonly Change[] = [];
  #tail: number;
  #heard: number;
  #checkedAt: number;
  #reading = false;
  #closed = false;
  #failure: unknown;
  #subscription: Subscription | undefined;

  /** `last` is the number of the user's last change; the feed begins behind it and reads what lies before on demand. */
  constructor(ports: FeedPorts, user: string, last: number) {
    this.#ports = ports;
    this.#user = user;
    this.#tail = last;
    this.#heard = last;
    this.#checkedAt = ports.clock.now();
  }

  /** Whether reading has failed for good; readers are told by `after`. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** When the counter of the log is to be looked at again, in milliseconds since 1970. */
  get checkAt(): number {
    return this.#checkedAt + CHECK_MS;
  }

  /** The next changes after a cursor; none when there is nothing new. Throws what reading the log threw. */
  async after(cursor: number): Promise<Batch> {
    if (this.failed) throw this.#failure;
    if (cursor >= this.#tail) return { changes: [], last: cursor };
    const first = this.#kept[0]?.seq;
    if (first !== undefined && first <= cursor + 1) return batch(this.#kept.slice(cursor + 1 - first), cursor);
    const target = this.#tail;
    const found = await this.#settled(cursor);
    // Everything up to where the log stood when this began has expired.
    return found.length > 0 ? batch(found, cursor) : { changes: [], last: target };
  }

  /**
   * Has `wake` called whenever there may be something new after a cursor, soon when there is already: it may have come
   * between the last look and this call. Gives back how to stop that.
   */
  onNews(cursor: number, wake: () => void): () => void {
    this.#listeners.add(wake);
    if (this.#tail > cursor || this.failed) queueMicrotask(wake);
    this.#subscription ??= this.#ports.signals.subscribe(this.#user, (last, changes) =>
      last === null ? void this.check() : this.hear(last, changes),
    );
    return () => void this.#listeners.delete(wake);
  }

  /** Hears that the log of the user has grown to `last`, and perhaps by what, whether that is news or not. */
  hear(last: number, changes: readonly Change[] = []): void {
    if (this.#closed || this.failed) return;
    this.#join(changes);
    if (last <= this.#heard) return;
    this.#heard = last;
    void this.#read();
  }

  /** Looks at the counter of the log. A look that fails is left to the next one. */
  async check(): Promise<void> {
    this.#checkedAt = this.#ports.clock.now();
    try {
      this.hear(await this.#ports.log.last(this.#user));
    } catch {
      // Nothing is lost by it: what has not been read will be heard of again.
    }
  }

  /** Ends the subscription; a read under way comes to nothing. */
  close(): void {
    this.#closed = true;
    this.#subscription?.close();
  }

  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#heard > this.#tail && !this.#closed) await this.#advance();
    } catch (error) {
      this.#failure = error ?? new Error('The log could not be read.');
      this.#wakeAll();
    } finally {
      this.#reading = false;
    }
  }

  async #advance(): Promise<void> {
    const [cursor, heard] = [this.#tail, this.#heard];
    const found = await this.#settled(cursor);
    const [first] = found;
    if (this.#tail > cursor) this.#join(found);
    else if (first) this.#grow(first.seq === cursor + 1 ? [...this.#kept, ...found] : found);
    // Somebody spoke of changes that are not there. They will be heard of again when they are.
    else if (this.#heard === heard) this.#heard = cursor;
  }

  /** Takes those changes that come next; some of them may be there already. */
  #join(changes: readonly Change[]): void {
    const next = contiguous(changes.filter(({ seq }) => seq > this.#tail));
    if (next[0]?.seq === this.#tail + 1) this.#grow([...this.#kept, ...next]);
  }

  #grow(kept: readonly Change[]): void {
    this.#kept = kept.slice(-KEPT);
    this.#tail = this.#kept.at(-1)?.seq ?? this.#tail;
    this.#heard = Math.max(this.#heard, this.#tail);
    this.#wakeAll();
  }

  /** Reads until the change right after the cursor is there, or is known not to come any more. */
  async #settled(cursor: number): Promise<readonly Change[]> {
    for (const pause of SETTLE_MS) {
      const found = contiguous(await this.#tryRead(cursor));
      if (found[0]?.seq === cursor + 1 || this.#closed) return found;
      await this.#ports.clock.sleep(pause);
    }
    return contiguous(await this.#tryRead(cursor));
  }

  async #tryRead(cursor: number): Promise<readonly Change[]> {
    for (const pause of RETRY_MS) {
      try {
        return await this.#ports.log.changes(this.#user, cursor, READ);
      } catch (error) {
        if (this.#closed) throw error;
        await this.#ports.clock.sleep(pause);
      }
    }
    return this.#ports.log.changes(this.#user, cursor, READ);
  }

  #wakeAll(): void {
    for (const wake of [...this.#listeners]) wake();
  }
}

function batch(changes: readonly Change[], cursor: number): Batch {
  const some = changes.slice(0, READ);
  return { changes: some, last: some.at(-1)?.seq ?? cursor };
}

function contiguous(found: readonly Change[]): readonly Change[] {
  const gap = found.findIndex((change, place) => place > 0 && change.seq !== (found[place - 1]?.seq ?? 0) + 1);
  return gap === -1 ? found : found.slice(0, gap);
}

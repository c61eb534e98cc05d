import type { Change, LogReader } from '../ports/log.ts';
import type { Signals, Subscription } from '../ports/signals.ts';
import type { Clock } from '../ports/system.ts';

export interface FeedPorts {
  readonly log: Pick<LogReader, 'changes' | 'last'>;
  readonly signals: Signals;
  readonly clock: Clock;
}

/** Consecutive changes, and the cursor after them. */
interface Batch {
  readonly changes: readonly Change[];
  /** Greater than the `seq` of the last change when those between have expired. */
  readonly last: number;
}

/** Maximum of changes per read. A slow reader holds them in memory, and a change with its document may have 100 kB. */
const READ_LIMIT = 32;
/**
 * Maximum of newest changes that are kept for readers that follow closely; a reader further behind reads the log
 * itself.
 */
const MAX_KEPT_CHANGES = 256;
/** Time between two reads of the log's counter, which find changes without a signal. */
const CHECK_INTERVAL_MS = 30_000;
/**
 * Pauses between reads that do not return the next change. A Query is not a snapshot: it may return change 5 and have
 * passed the place of change 4 before that was written. A change that is still missing after the last read has expired.
 */
const GAP_PAUSES_MS = [20, 50, 100, 200, 400];
/** Pause before a failed read is retried once. The SDK's own retries all happen within a second. */
const RETRY_AFTER_MS = 2_000;

/**
 * The changes of one user, followed once per process for all readers: one subscription, one read of the log at a time,
 * and the newest changes in memory. It subscribes when the first reader waits, so a reader that never waits costs
 * nothing.
 *
 * Correctness does not depend on signals. `lastSeq` moves only over changes that were read or came with a signal, each
 * exactly the next one. While a greater number has been announced (`latestSeq > lastSeq`), the feed keeps reading.
 */
export class Feed {
  readonly #ports: FeedPorts;
  readonly #user: string;
  /** The callbacks of waiting readers, with the time until which each waits at most. */
  readonly #waiting = new Map<() => void, number>();
  #alarm: { readonly at: number; readonly off: AbortController } | undefined;
  #kept: readonly Change[] = [];
  #lastSeq: number;
  #latestSeq: number;
  #checkedAt: number;
  #reading = false;
  #closed = false;
  #failure: unknown;
  #subscription: Subscription | undefined;

  /** `last` is the number of the user's last change; the feed starts after it and reads earlier changes on demand. */
  constructor(ports: FeedPorts, user: string, last: number) {
    this.#ports = ports;
    this.#user = user;
    this.#lastSeq = last;
    this.#latestSeq = last;
    this.#checkedAt = ports.clock.now();
  }

  /** Whether reading has failed for good; then `after` throws. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** When the log's counter is due to be read again, in milliseconds since 1970. */
  get checkAt(): number {
    return this.#checkedAt + CHECK_INTERVAL_MS;
  }

  /** Returns the next changes after a cursor; none when there are none yet. Throws what reading the log threw. */
  async after(cursor: number): Promise<Batch> {
    if (this.failed) throw this.#failure;
    if (cursor >= this.#lastSeq) return { changes: [], last: cursor };
    const first = this.#kept[0]?.seq;
    if (first !== undefined && first <= cursor + 1) return batchOf(this.#kept.slice(cursor + 1 - first), cursor);
    const last = this.#lastSeq;
    const changes = await this.#readAcrossGaps(cursor);
    // Without any change, everything up to `last` has expired.
    return changes.length > 0 ? batchOf(changes, cursor) : { changes: [], last };
  }

  /**
   * Calls `wake` once: when there may be changes after a cursor, at the latest at `until`. When there are some already,
   * because they arrived between the last read and this call, in the next microtask. All readers share one timer, because
   * a change wakes hundreds of them. Returns a function that ends it.
   */
  wait(cursor: number, until: number, wake: () => void): () => void {
    this.#waiting.set(wake, until);
    if (this.#lastSeq > cursor || this.failed) queueMicrotask(() => this.#wake(wake));
    else this.#setAlarm(until);
    this.#subscription ??= this.#ports.signals.subscribe(this.#user, (last, changes) =>
      last === null ? void this.check() : this.notify(last, changes),
    );
    return () => void this.#waiting.delete(wake);
  }

  /** Announces that the user's log has reached `last`, with some of the changes up to it. Known numbers are ignored. */
  notify(last: number, changes: readonly Change[] = []): void {
    if (this.#closed || this.failed) return;
    this.#appendNext(changes);
    if (last <= this.#latestSeq) return;
    this.#latestSeq = last;
    void this.#read();
  }

  /** Reads the log's counter and notifies the feed. A failure is ignored. */
  async check(): Promise<void> {
    this.#checkedAt = this.#ports.clock.now();
    try {
      this.notify(await this.#ports.log.last(this.#user));
    } catch {
      // The next check reads it again.
    }
  }

  /** Ends the subscription; a read in progress has no further effect. */
  close(): void {
    this.#closed = true;
    this.#alarm?.off.abort();
    this.#subscription?.close();
  }

  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#latestSeq > this.#lastSeq && !this.#closed) await this.#advance();
    } catch (error) {
      this.#failure = error ?? new Error('The log could not be read.');
      this.#wakeAll();
    } finally {
      this.#reading = false;
    }
  }

  async #advance(): Promise<void> {
    const [cursor, latest] = [this.#lastSeq, this.#latestSeq];
    const changes = await this.#readAcrossGaps(cursor);
    const [first] = changes;
    if (this.#lastSeq > cursor) this.#appendNext(changes);
    else if (first) this.#keep(first.seq === cursor + 1 ? [...this.#kept, ...changes] : changes);
    // The signal announced changes that do not exist. If they come, they are announced again.
    else if (this.#latestSeq === latest) this.#latestSeq = cursor;
  }

  /** Appends the changes that directly follow the last one; those that are known already are ignored. */
  #appendNext(changes: readonly Change[]): void {
    const next = contiguous(changes.filter(({ seq }) => seq > this.#lastSeq));
    if (next[0]?.seq === this.#lastSeq + 1) this.#keep([...this.#kept, ...next]);
  }

  #keep(changes: readonly Change[]): void {
    this.#kept = changes.slice(-MAX_KEPT_CHANGES);
    this.#lastSeq = this.#kept.at(-1)?.seq ?? this.#lastSeq;
    this.#latestSeq = Math.max(this.#latestSeq, this.#lastSeq);
    this.#wakeAll();
  }

  /** Reads until the change right after the cursor is there, or is known to have expired. */
  async #readAcrossGaps(cursor: number): Promise<readonly Change[]> {
    for (const pauseMs of GAP_PAUSES_MS) {
      const changes = contiguous(await this.#readWithRetry(cursor));
      if (changes[0]?.seq === cursor + 1 || this.#closed) return changes;
      await this.#ports.clock.sleep(pauseMs);
    }
    return contiguous(await this.#readWithRetry(cursor));
  }

  async #readWithRetry(cursor: number): Promise<readonly Change[]> {
    const { log, clock } = this.#ports;
    try {
      return await log.changes(this.#user, cursor, READ_LIMIT);
    } catch (error) {
      if (this.#closed) throw error;
      await clock.sleep(RETRY_AFTER_MS);
      return log.changes(this.#user, cursor, READ_LIMIT);
    }
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting.keys()]) this.#wake(wake);
  }

  #wake(wake: () => void): void {
    if (this.#waiting.delete(wake)) wake();
  }

  /** Sets the alarm, unless one is set for an earlier time, which then looks who is due. */
  #setAlarm(at: number): void {
    if (this.#closed || (this.#alarm && this.#alarm.at <= at)) return;
    this.#alarm?.off.abort();
    const off = new AbortController();
    this.#alarm = { at, off };
    const { clock } = this.#ports;
    void clock.sleep(Math.max(0, at - clock.now()), off.signal).then(() => {
      if (!off.signal.aborted) this.#wakeDue();
    });
  }

  #wakeDue(): void {
    this.#alarm = undefined;
    const now = this.#ports.clock.now();
    for (const [wake, until] of [...this.#waiting]) if (until <= now) this.#wake(wake);
    if (this.#waiting.size > 0) this.#setAlarm(Math.min(...this.#waiting.values()));
  }
}

function batchOf(changes: readonly Change[], cursor: number): Batch {
  const limited = changes.slice(0, READ_LIMIT);
  return { changes: limited, last: limited.at(-1)?.seq ?? cursor };
}

/** Returns the changes up to the first gap. */
function contiguous(found: readonly Change[]): readonly Change[] {
  const gap = found.findIndex((change, index) => index > 0 && change.seq !== (found[index - 1]?.seq ?? 0) + 1);
  return gap === -1 ? found : found.slice(0, gap);
}

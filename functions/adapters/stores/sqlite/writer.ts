import { setImmediate } from 'node:timers';
import { UnconfirmedWrite } from '../../../core/pipeline/store-entry.ts';
import type { Change } from '../../../core/ports/log.ts';
import type { Clock, Ids } from '../../../core/ports/system.ts';
import type { Connection } from './connection.ts';

/** Work on the database that is all written or not at all. It passes its changes of the feed to `publish`. */
type Write<T> = (publish: (change: Change) => void) => T;
type OnCommit = (changes: readonly Change[]) => void;

interface Waiting {
  readonly write: Write<unknown>;
  readonly bytes: number;
  readonly isSynced: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly result: unknown; readonly changes: readonly Change[] } | { readonly error: unknown };
type Outcomes = Map<Waiting, Outcome>;

/** Limits of one transaction, so that the event loop is held up for some milliseconds only. */
const MAX_WRITES = 64;
const MAX_BYTES = 8 * 1024 * 1024;
/** Estimates of what a transaction, and each of its writes, adds to the write-ahead log. */
const TRANSACTION_BYTES = 16 * 1024;
const WRITE_BYTES = 12 * 1024;
/** Transactions are moved to the database's own file, for who copies only that, after this time without a write, … */
const IDLE_MS = 1_000;
/** … and in any case after as many bytes. */
const MOST_BYTES = 20 * 1024 * 1024;
/** Writes of `note` are synced within this time, mostly with another write that comes meanwhile. */
const NOTED_MS = 5;

/**
 * Writes in groups: what waits in one turn of the event loop is one transaction and one fsync, which does not hold up
 * the event loop; then the writes are answered. What comes during the fsync is the next group: small ones would write
 * the same pages again and again. A write that fails rejects its own promise only: the others are written again without
 * it, so each may be called more than once. A commit or an fsync (`UnconfirmedWrite`) that fails rejects all of its group.
 */
export class Writer {
  readonly #listeners = new Set<OnCommit>();
  #waiting: Waiting[] = [];
  #syncing: Promise<void> | undefined;
  #isScheduled = false;
  /** Changes that are committed, in their order, and not known to be on the disk. */
  #committed: Change[] = [];
  #noted: NodeJS.Timeout | undefined;
  /** Bytes, about, in the file of transactions since the last checkpoint. */
  #bytes = 0;
  #checkpointing: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Nothing is written until the checkpoint has the last transactions too. */
  #isHeld = false;
  #isClosed = false;

  constructor(private readonly connection: Connection) {}

  /** Resolves when it is on the disk. `bytes` is the size of what is written, if that is large. */
  run<T>(write: Write<T>, bytes = 0): Promise<T> {
    return this.#add(write, { bytes, isSynced: true });
  }

  /**
   * Resolves after the commit, which survives the end of the process, but not a power cut: for what the next start does
   * again anyway. The listeners get its changes a little later, when they are on the disk.
   */
  note<T>(write: Write<T>): Promise<T> {
    return this.#add(write, { bytes: 0, isSynced: false });
  }

  onCommit(listener: OnCommit): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves when everything is written and the listeners were called; nothing is written from now on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#waiting.length > 0 || this.#syncing || this.#checkpointing) {
      await (this.#syncing ?? this.#checkpointing ?? this.#writeGroup());
    }
    if (this.#committed.length > 0) this.#sync();
    await this.#syncing;
    clearTimeout(this.#idle);
    await new Promise((resolve) => setImmediate(resolve));
  }

  #add<T>(write: Write<T>, how: Pick<Waiting, 'bytes' | 'isSynced'>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#isClosed) {
        reject(new Error('The database is closed.'));
        return;
      }
      this.#waiting.push({ write, ...how, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#syncing || this.#isHeld || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.#syncing && !this.#isHeld) this.#writeGroup();
      this.#schedule();
    });
  }

  #writeGroup(): void {
    const group = this.#nextGroup();
    if (group.length === 0) return;
    const outcomes = this.#outcomesOf(group);
    const unsynced: Outcomes = new Map();
    for (const [index, waiting] of group.entries()) {
      const outcome = outcomes[index] as Outcome;
      if ('changes' in outcome) this.#committed.push(...outcome.changes);
      if (waiting.isSynced) unsynced.set(waiting, outcome);
      else answer(waiting, outcome);
    }
    if (unsynced.size > 0) this.#sync(unsynced);
    else if (this.#committed.length > 0) this.#noted ??= setTimeout(() => this.#sync(), NOTED_MS);
    this.#noteBytes(group.reduce((sum, { bytes }) => sum + WRITE_BYTES + bytes, TRANSACTION_BYTES));
  }

  /** Syncs what has been committed, answers those who wait for that, and then tells the listeners. */
  #sync(unsynced: Outcomes = new Map()): void {
    clearTimeout(this.#noted);
    this.#noted = undefined;
    const changes = this.#committed;
    this.#committed = [];
    this.#syncing = this.connection
      .sync()
      .then(
        () => {
          for (const [waiting, outcome] of unsynced) answer(waiting, outcome);
          // Later, so that the answers to those who wrote are sent first.
          if (changes.length > 0) setImmediate(() => [...this.#listeners].map((tell) => tell(changes)));
        },
        (error: unknown) => {
          // These changes can be read: the listeners get them with what the disk takes next.
          this.#committed.unshift(...changes);
          for (const [waiting, outcome] of unsynced) {
            answer(waiting, 'error' in outcome ? outcome : { error: new UnconfirmedWrite(outcome.result, error) });
          }
        },
      )
      .finally(() => {
        this.#syncing = undefined;
        this.#schedule();
      });
  }

  #noteBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#checkpointing) return;
    clearTimeout(this.#idle);
    const begin = () => {
      this.#checkpointing ??= this.#checkpoint();
    };
    if (this.#bytes > MOST_BYTES) begin();
    else this.#idle = setTimeout(begin, IDLE_MS);
  }

  /**
   * Most of it happens while others write. What they have written meanwhile is little, and is moved while nothing is
   * written: otherwise the file of transactions would grow for as long as deliveries come.
   */
  async #checkpoint(): Promise<void> {
    this.#bytes = 0;
    await this.connection.checkpoint();
    await this.#syncing;
    this.#isHeld = true;
    if (this.#bytes > 0) await this.connection.checkpoint();
    this.#bytes = 0;
    this.#isHeld = false;
    this.#checkpointing = undefined;
    this.#schedule();
  }

  #nextGroup(): readonly Waiting[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((one, index) => {
      bytes += one.bytes;
      return index === MAX_WRITES || (index > 0 && bytes > MAX_BYTES);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  /** Writes a group in one transaction. Returns the outcome of each of its writes. */
  #outcomesOf(group: readonly Waiting[]): readonly Outcome[] {
    const outcomes: Outcome[] = new Array(group.length);
    const left = new Set(group.keys());
    try {
      while (left.size > 0 && !this.#tryAll(group, left, outcomes));
    } catch (error) {
      // Nothing of the group is written.
      this.#rollback();
      for (const index of left) outcomes[index] = { error };
    }
    return outcomes;
  }

  /**
   * Tries a transaction of all writes that are left. Returns false when one of them has failed: that one is no longer
   * left, and the others have to be written again. It is rare, and a savepoint for each would cost every write.
   */
  #tryAll(group: readonly Waiting[], left: Set<number>, outcomes: Outcome[]): boolean {
    this.connection.begin();
    for (const index of left) {
      const { write } = group[index] as Waiting;
      const outcome = outcomeOf(write);
      outcomes[index] = outcome;
      if (!('error' in outcome)) continue;
      left.delete(index);
      this.#rollback();
      return false;
    }
    this.connection.run('COMMIT');
    return true;
  }

  #rollback(): void {
    if (this.connection.inTransaction) this.connection.run('ROLLBACK');
  }
}

function answer({ resolve, reject }: Waiting, outcome: Outcome): void {
  if ('error' in outcome) reject(outcome.error);
  else resolve(outcome.result as never);
}

function outcomeOf(write: Write<unknown>): Outcome {
  const changes: Change[] = [];
  try {
    return { result: write((change) => changes.push(change)), changes };
  } catch (error) {
    return { error };
  }
}

/** Shared by the stores of one database. */
export interface StoreContext {
  /** Reads outside a transaction: what has been committed. */
  readonly connection: Connection;
  readonly writer: Writer;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'hex'>;
}

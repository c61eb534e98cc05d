import { setImmediate } from 'node:timers';
import type { Change } from '../../../core/ports/log.ts';
import type { Clock, Ids } from '../../../core/ports/system.ts';
import type { Connection } from './connection.ts';

/** Work on the database that is all written or not at all. It passes its changes of the feed to `publish`. */
export type Write<T> = (publish: (change: Change) => void) => T;
type OnCommit = (changes: readonly Change[]) => void;

interface Waiting {
  readonly write: Write<unknown>;
  readonly bytes: number;
  readonly isSynced: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly result: unknown; readonly changes: readonly Change[] } | { readonly error: unknown };

/** Limits of one transaction, so that the event loop is held up for some milliseconds only. */
const MAX_WRITES = 64;
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Writes in groups: what waits in one turn of the event loop is one transaction, with a savepoint for each write, and
 * one fsync, which does not hold up the event loop; then the writes are answered. What comes during the fsync is the next
 * group: small ones would write the same pages again and again. A write that fails rejects its own promise only; a commit or an fsync that fails rejects all of
 * its group.
 */
export class Writer {
  readonly #connection: Connection;
  readonly #listeners = new Set<OnCommit>();
  #waiting: Waiting[] = [];
  #syncing: Promise<void> | undefined;
  #isScheduled = false;
  #isClosed = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Resolves when it is on the disk. `bytes` is the size of what is written, if that is large. */
  run<T>(write: Write<T>, bytes = 0): Promise<T> {
    return this.#add(write, { bytes, isSynced: true });
  }

  /**
   * Resolves after the commit, which survives the end of the process, but not a power cut: for what the next start does
   * again anyway. It must not publish a change.
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
    while (this.#waiting.length > 0 || this.#syncing) await (this.#syncing ?? this.#writeGroup());
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
    if (this.#isScheduled || this.#syncing || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.#syncing) this.#writeGroup();
      this.#schedule();
    });
  }

  #writeGroup(): void {
    const group = this.#nextGroup();
    if (group.length === 0) return;
    const outcomes = this.#outcomesOf(group);
    if (!group.some(({ isSynced }) => isSynced)) return void this.#answer(group, outcomes);
    this.#syncing = this.#connection
      .sync()
      .then(
        () => this.#answer(group, outcomes),
        (error: unknown) => this.#answer(group, Array(group.length).fill({ error })),
      )
      .finally(() => {
        this.#syncing = undefined;
        this.#schedule();
      });
  }

  #answer(group: readonly Waiting[], outcomes: readonly Outcome[]): void {
    const changes: Change[] = [];
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index];
      if (!outcome || 'error' in outcome) {
        reject(outcome?.error);
        continue;
      }
      resolve(outcome.result as never);
      changes.push(...outcome.changes);
    }
    // Later, so that the answers to those who wrote are sent first.
    if (changes.length > 0) setImmediate(() => this.#notify(changes));
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
   * Tries a transaction of all writes that are left. Returns false when one of them has made the database end the
   * transaction: that one is no longer left, and the others have to be written again.
   */
  #tryAll(group: readonly Waiting[], left: Set<number>, outcomes: Outcome[]): boolean {
    const connection = this.#connection;
    connection.run('BEGIN IMMEDIATE');
    for (const index of [...left]) {
      const { write } = group[index] as Waiting;
      const outcome = this.#inSavepoint(write);
      outcomes[index] = outcome;
      if (!('error' in outcome)) continue;
      left.delete(index);
      if (!connection.inTransaction) return false;
    }
    connection.run('COMMIT');
    return true;
  }

  #inSavepoint(write: Write<unknown>): Outcome {
    const connection = this.#connection;
    const changes: Change[] = [];
    connection.run('SAVEPOINT one_write');
    try {
      const result = write((change) => changes.push(change));
      connection.run('RELEASE one_write');
      return { result, changes };
    } catch (error) {
      if (connection.inTransaction) {
        connection.run('ROLLBACK TO one_write');
        connection.run('RELEASE one_write');
      }
      return { error };
    }
  }

  #rollback(): void {
    if (this.#connection.inTransaction) this.#connection.run('ROLLBACK');
  }

  #notify(changes: readonly Change[]): void {
    for (const listener of [...this.#listeners]) listener(changes);
  }
}

/** What the stores of one database share. */
export interface StoreContext {
  /** Reads outside a transaction: what has been committed. */
  readonly connection: Connection;
  readonly writer: Writer;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'hex'>;
}

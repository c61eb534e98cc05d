import { vi } from 'vitest';
import { Connection } from '../../../functions/adapters/stores/sqlite/connection.ts';
import { StoreError } from '../../../functions/adapters/stores/sqlite/store-error.ts';
import type { Random } from './random.ts';

/** Faults of the disk below the log. */
export interface StoreFaults {
  /** The share of writes with which the disk begins to be full for a moment. */
  share: number;
  /** Writes that have failed. */
  readonly count: () => number;
  /** Ends all of it. */
  restore(): void;
}

const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|COMMIT)\b/;
/** For how many writes a disk stays full. */
const MOST_WRITES = 40;

/** Lets writes of all connections but one fail, as SQLite does on a full disk. */
export function storeFaults(random: Random, spared: Connection): StoreFaults {
  const run = Connection.prototype.run;
  let left = 0;
  let count = 0;
  const spy = vi.spyOn(Connection.prototype, 'run').mockImplementation(function (this: Connection, sql, ...values) {
    if (this === spared || !WRITES.test(sql)) return run.call(this, sql, ...values);
    if (faults.share === 0) left = 0;
    if (left === 0 && random.happens(faults.share)) left = 1 + random.below(MOST_WRITES);
    if (left === 0) return run.call(this, sql, ...values);
    left -= 1;
    count += 1;
    // It ends the transaction by itself after some of these errors: https://www.sqlite.org/lang_transaction.html
    if (random.happens(0.5)) run.call(this, 'ROLLBACK');
    const cause = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    throw new StoreError('The disk is full: free some space on it.', { cause });
  });
  const faults: StoreFaults = { share: 0, count: () => count, restore: () => spy.mockRestore() };
  return faults;
}

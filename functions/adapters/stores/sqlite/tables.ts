import type { Job } from '../../../core/pipeline/job.ts';
import { Connection, type Value } from './connection.ts';
import { Writer } from './writer.ts';

/** The tables of the platform of this machine, beside those of the log. */
export interface Tables {
  get<Row>(statement: string, ...values: readonly Value[]): Row | undefined;
  all<Row>(statement: string, ...values: readonly Value[]): readonly Row[];
  /** Whether the log has that entry, and its deploy has not ended. */
  isUnfinished(entry: Job): boolean;
  /** Part of `write` or `note`. Returns the number of rows that were changed. */
  run(statement: string, ...values: readonly Value[]): number;
  /** Does the work in one transaction, or none of it when it throws; it may be called again. Resolves when it is on the disk. */
  write<T>(work: () => T): Promise<T>;
  /** Like `write`, but resolves when it survives the end of the process: for what need not survive a power cut. */
  note<T>(work: () => T): Promise<T>;
}

/** Opens the tables beside a service that runs or not. Throws a `StoreError` for a file of another version too. */
export function openTables(path: string): Tables & { close(): Promise<void> } {
  const connection = new Connection(path, true);
  const tables = sqliteTables(connection);
  return { ...tables, close: () => tables.close().then(() => connection.close()) };
}

export function sqliteTables(connection: Connection): Tables & { close(): Promise<void> } {
  // Its own: it takes writes for longer than that of the log.
  const writer = new Writer(connection);
  return {
    get: (statement, ...values) => connection.get(statement, ...values),
    all: (statement, ...values) => connection.all(statement, ...values),
    isUnfinished: ({ user, number }) => {
      const sql = `SELECT id FROM entries WHERE user = ? AND number = ? AND status IN ('queued', 'running', 'held')`;
      return connection.get(sql, user, number) !== undefined;
    },
    run: (statement, ...values) => connection.run(statement, ...values),
    write: (work) => writer.run(() => work()),
    note: (work) => writer.note(() => work()),
    close: () => writer.close(),
  };
}

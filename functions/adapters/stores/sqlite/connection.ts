import { closeSync, fdatasync, openSync, realpathSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import Database from 'libsql';
import AsyncDatabase from 'libsql/promise';
import { MIGRATIONS } from './schema.ts';
import { explained, removed, StoreError } from './store-error.ts';

/** What a column can have. */
export type Value = string | number | null | Uint8Array;

const synced = promisify(fdatasync);

/** How long a statement waits for another process, such as one that makes a backup. The event loop waits too. */
const BUSY_TIMEOUT_MS = 1_000;

/**
 * A connection to the database. Every statement is prepared once, because that costs more than running it; so the text
 * of a statement must not contain values. All errors of the database are thrown as `StoreError`.
 */
export class Connection {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  /** The file to which the database appends each transaction, until it moves them to its own. */
  #wal: number | undefined;
  /** The database again, for what takes long: its statements run in a thread of the library. */
  #beside: InstanceType<typeof AsyncDatabase> | undefined;
  /** The inodes of the open files. */
  readonly #inodes = new Map<string, number>();
  /** Where the database's own file is, beside which its transactions are. */
  readonly path: string;

  /**
   * Opens the database, and makes it or brings it to the schema of this version; beside its service it refuses an older one.
   * `path` may be `:memory:`, or a link.
   */
  constructor(path: string, isBeside = false) {
    this.path = path;
    if (path !== ':memory:') this.path = this.#explaining(() => madeFile(path));
    this.#database = this.#explaining(() => new Database(this.path, { timeout: BUSY_TIMEOUT_MS }));
    try {
      // A commit is on the disk after `sync`; NORMAL already syncs what must not be written out of order:
      // https://www.sqlite.org/pragma.html#pragma_synchronous
      this.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 20971520');
      // After 64 MB, when `checkpoint` cannot do it: a commit that does holds up the event loop.
      this.exec('PRAGMA wal_autocheckpoint = 16384');
      this.exec('PRAGMA foreign_keys = ON');
      this.#migrate(isBeside);
      const files = path === ':memory:' ? [] : [this.path, `${this.path}-wal`];
      for (const file of files) this.#inodes.set(file, statSync(file).ino);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Whether a transaction has begun. The database ends it after some errors, such as a full disk. */
  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Begins a transaction. Throws when it would be written to a file that nobody will find again. */
  begin(): void {
    for (const [file, inode] of this.#inodes) {
      if (statSync(file, { throwIfNoEntry: false })?.ino !== inode) throw removed(file);
    }
    this.run('BEGIN IMMEDIATE');
  }

  exec(statements: string): void {
    this.#explaining(() => this.#database.exec(statements));
  }

  get<Row>(statement: string, ...values: readonly Value[]): Row | undefined {
    return this.#explaining(() => this.#prepared(statement).get(values) as Row | undefined);
  }

  all<Row>(statement: string, ...values: readonly Value[]): readonly Row[] {
    return this.#explaining(() => this.#prepared(statement).all(values) as readonly Row[]);
  }

  /** Returns the number of rows that were changed. */
  run(statement: string, ...values: readonly Value[]): number {
    return this.#explaining(() => this.#prepared(statement).run(values).changes);
  }

  /**
   * Resolves when what has been committed survives a power cut. Not by the database: its commits would hold up the event
   * loop for as long as the disk takes.
   */
  async sync(): Promise<void> {
    if (this.path === ':memory:') return;
    try {
      this.#wal ??= openSync(`${this.path}-wal`, 'r+');
      await synced(this.#wal);
    } catch (error) {
      throw explained(error, this.path);
    }
  }

  /**
   * Moves what has been committed to the database's own file, beside the event loop. Transactions may be written
   * meanwhile; without any, the next one begins at the start of the file of transactions, which so stays small.
   */
  async checkpoint(): Promise<void> {
    if (this.path === ':memory:') return;
    try {
      this.#beside ??= new AsyncDatabase(this.path, { timeout: BUSY_TIMEOUT_MS });
      // https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
      await this.#beside.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // The disk is full: the next one does it.
    }
  }

  /** Closes the database. No transaction may be in progress. */
  close(): void {
    this.#beside?.close();
    try {
      // The library closes the file only when the statements have been collected. Whoever copies it before needs it whole.
      this.get('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The disk is full, or somebody reads the file: the next start does it.
    }
    this.#statements.clear();
    if (this.#wal !== undefined) closeSync(this.#wal);
    this.#wal = undefined;
    this.#database.close();
  }

  #prepared(statement: string): Database.Statement {
    const earlier = this.#statements.get(statement);
    if (earlier) return earlier;
    const prepared = this.#database.prepare(statement);
    this.#statements.set(statement, prepared);
    return prepared;
  }

  #migrate(isBeside: boolean): void {
    this.exec('BEGIN IMMEDIATE');
    try {
      const version = this.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
      if (version > MIGRATIONS.length) throw this.#tooNew(version);
      if (version < MIGRATIONS.length && isBeside) throw this.#tooOld();
      for (const migration of MIGRATIONS.slice(version)) this.exec(migration);
      this.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
      this.exec('COMMIT');
    } catch (error) {
      if (this.inTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  #tooNew(version: number): StoreError {
    return new StoreError(
      `${this.path} was written by a newer version of the service (schema ${version}, this one knows up to ` +
        `${MIGRATIONS.length}): start that version, or move the file away to begin without log, applications and users.`,
    );
  }

  #tooOld(): StoreError {
    return new StoreError(`${this.path} was written by an earlier version of the service: start this version first.`);
  }

  #explaining<T>(use: () => T): T {
    try {
      return use();
    } catch (error) {
      throw explained(error, this.path);
    }
  }
}

/** Makes the file if there is none: the library would make one that everybody can read. Returns where a link leads. */
function madeFile(path: string): string {
  closeSync(openSync(path, 'a', 0o600));
  return realpathSync(path);
}

import { once } from '../../../core/concurrency.ts';
import type { Job } from '../../../core/pipeline/job.ts';
import type { UserStore } from '../../../core/ports/accounts.ts';
import type { AppEventCursor } from '../../../core/ports/applications.ts';
import type { AppFacts, AppSettings, DeployFacts, RepositoryApps, TrackedApps } from '../../../core/ports/facts.ts';
import type { Backlog, Change, DeployLog, LogReader } from '../../../core/ports/log.ts';
import type { TokenStore } from '../../../core/ports/repository-host.ts';
import type { Clock, Ids } from '../../../core/ports/system.ts';
import { nextCompare, sqliteAppFacts, sqliteAppSettings, sqliteRepositoryApps, sqliteTrackedApps } from './apps.ts';
import { nextDue, sqliteBacklog, unfinished } from './backlog.ts';
import { Connection } from './connection.ts';
import { sqliteFacts } from './facts.ts';
import { sqliteLog, stageLog } from './log.ts';
import { sqliteReader } from './reader.ts';
import { sqliteTables, type Tables } from './tables.ts';
import { sqliteAppEventCursor, sqliteTokens } from './tokens.ts';
import { sqliteUsers } from './users.ts';
import { Writer } from './writer.ts';

/** The stores of one machine, in one SQLite database. One process has it open. */
export interface SqliteStores {
  readonly log: DeployLog;
  /** The log for the stages, whose writes wait for no fsync. */
  readonly stageLog: DeployLog;
  readonly reader: LogReader;
  readonly facts: DeployFacts;
  readonly repositoryApps: RepositoryApps;
  readonly appFacts: AppFacts;
  readonly trackedApps: TrackedApps;
  readonly appSettings: AppSettings;
  readonly backlog: Backlog;
  readonly cursor: AppEventCursor;
  readonly tokens: TokenStore;
  readonly users: UserStore;
  readonly tables: Tables;
  /**
   * Calls the listener after each commit with the changes that it wrote, in order. Returns a function that ends it. A
   * listener must not throw.
   */
  onCommit(listener: (changes: readonly Change[]) => void): () => void;
  /** Returns the unfinished entries that are not held, oldest first: what a start goes on with. */
  unfinished(): readonly Job[];
  /** When the next entry is due for the sweep; null when none is, and once the log has ended. */
  nextDue(): number | null;
  /** When the next application is due to be compared with its branch; null as above. */
  nextCompare(): number | null;
  /** Waits for the writes under way; from now on only `tables` take any. A second call does nothing. */
  endLog(): Promise<void>;
  /** Ends the log, waits for all writes and closes the file. A second call does nothing. */
  close(): Promise<void>;
}

interface StoreOptions {
  /** The file, which is made if there is none; or `:memory:`. */
  readonly path: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'hex'>;
}

/**
 * Opens the stores. Throws a `StoreError` with a sentence for the operator: the file is damaged,
 * of a newer version, in use, or cannot be written.
 */
export function openStores({ path, clock, ids }: StoreOptions): SqliteStores {
  const connection = new Connection(path);
  const writer = new Writer(connection);
  const context = { connection, writer, clock, ids };
  const log = sqliteLog(context);
  const tables = sqliteTables(connection);
  let ended: Promise<void> | undefined;
  const endLog = () => (ended ??= writer.close());
  return {
    log,
    stageLog: stageLog(context, log),
    reader: sqliteReader(context),
    facts: sqliteFacts(context),
    repositoryApps: sqliteRepositoryApps(context),
    appFacts: sqliteAppFacts(context),
    trackedApps: sqliteTrackedApps(context),
    appSettings: sqliteAppSettings(context),
    backlog: sqliteBacklog(context),
    cursor: sqliteAppEventCursor(context),
    tokens: sqliteTokens(context),
    users: sqliteUsers(context),
    tables,
    onCommit: (listener) => writer.onCommit(listener),
    unfinished: () => unfinished(connection),
    nextDue: () => (ended ? null : nextDue(connection)),
    nextCompare: () => (ended ? null : nextCompare(connection)),
    endLog,
    close: once(async () => {
      await endLog();
      await tables.close();
      connection.close();
    }),
  };
}

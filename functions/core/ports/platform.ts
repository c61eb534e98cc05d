import type { Settings } from '../apps/settings.ts';
import type { PrintedLine } from './processes.ts';

export interface AppRef {
  readonly user: string;
  readonly app: string;
}

/** An uploaded version of an application. */
export interface SnapshotRef extends AppRef {
  /** Unique per deploy: `<version>-<entry number>`, or `<version>-<tries>-<entry number>` when that was taken. */
  readonly snapshot: string;
}

/** An upload to the platform, which checks its length and digest. */
export interface Upload {
  readonly body: AsyncIterable<Uint8Array>;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export type Uploaded = 'stored' | 'taken';

/** The progress of extracting and installing a snapshot. */
export type Activation =
  /** `announced`: the platform sends an event when the build ends, so that polling is not necessary. */
  | { readonly state: 'building'; readonly announced?: true }
  /** `note`: a sentence about the build, for the deploy to say. `found`: the commands and the folder that it has used. */
  | { readonly state: 'ready'; readonly note?: string; readonly found?: Settings }
  | { readonly state: 'failed'; readonly reason: string; readonly log: readonly string[] };

/** How a snapshot is built. */
export interface ActivateOptions {
  /** The folder of the application in its tarball; absent for the root. */
  readonly path?: string | undefined;
  /** When the entry of the deploy was received, which tells deploys of one snapshot apart. */
  readonly deploy?: number;
  /** The number of that entry: the snapshot is kept until it has ended. */
  readonly entry?: number;
  /** Kept with the snapshot, which is started with the same settings. */
  readonly settings?: Settings | undefined;
  /** The id of the commit, which its build and its processes have in the variable SOURCE_VERSION. */
  readonly commit?: string | undefined;
  /** Neither modules nor caches of earlier builds are used. */
  readonly clean?: boolean | undefined;
}

export interface HostingPlatform {
  /**
   * Creates the application or updates its manifest. An application created with `maySleep` costs nothing while nobody uses
   * it: it ends when it is unused, and the next request starts it. One of `previewOf` is asked for the password of that.
   * Idempotent. Throws `deploy:platform:upload_tarball`.
   */
  ensureApp(
    app: AppRef,
    manifest: Readonly<Record<string, unknown>>,
    how?: { readonly maySleep: boolean; readonly previewOf?: string | undefined },
  ): Promise<void>;
  /**
   * Uploads the tarball. Idempotent for the same snapshot and digest. Returns `taken` when the platform has other bytes
   * under that id. Throws `deploy:platform:upload_tarball`.
   */
  upload(snapshot: SnapshotRef, upload: Upload): Promise<Uploaded>;
  /**
   * Asks the platform to extract and install the snapshot. A snapshot has one build: a second call changes nothing, also
   * when the build has failed. Only another deploy has it built again: the release was removed, or the entry is of a log
   * that is lost. Throws `deploy:tar:extract_failed`.
   */
  activate(snapshot: SnapshotRef, options?: ActivateOptions): Promise<void>;
  /**
   * Returns the progress. A platform that supports long polling answers when it has finished, or after `waitSeconds`
   * (whole seconds); others answer at once. Throws `deploy:tar:extract_failed`, retryable when there was no answer.
   */
  poll(snapshot: SnapshotRef, waitSeconds?: number): Promise<Activation>;
  /**
   * Ends the build of a snapshot that has not been started, with all its processes: a later `poll` returns `failed` with
   * a reason that says so, also when it was not activated yet. Resolves when the build has ended, or at once when there
   * is none. What serves goes on. Idempotent. Throws `deploy:tar:extract_failed`.
   */
  cancel(snapshot: SnapshotRef): Promise<void>;
  /**
   * Removes what deploys have left that have ended, beyond what is kept for a rollback. A start does it, too. Does not wait
   * for it, and throws nothing.
   */
  prune(app: AppRef): void;
  /**
   * Starts the snapshot, and moves the traffic to it once it answers; until then the old release serves it. Returns the
   * application's address, empty where it answers no requests, and a sentence about what the old release has written and is
   * lost with it. Idempotent. Throws
   * `deploy:platform:start_app` with `logTail`.
   */
  start(snapshot: SnapshotRef): Promise<{ readonly url: string; readonly note?: string }>;
}

/** The operations on an application besides deploying it. All throw `deploy:platform:start_app`. */
export interface AppOperations {
  /**
   * Starts the active snapshot again, with the current variables, also when the application is stopped or has crashed.
   * The old release serves until the new one answers. Returns the address, as `start`. An event that takes it back names
   * the `entry` of it.
   */
  restart(app: AppRef, entry?: number): Promise<{ readonly url: string }>;
  /** Ends the application until it is started again. A stopped one stays stopped. */
  stop(app: AppRef): Promise<void>;
  /**
   * Gives the application another name, also in its address: snapshots, variables, domains and files stay, and
   * what runs is started again. An application that has the name already was renamed before. Returns the new address; null for an
   * application that was never started. Throws `request:not_supported` where
   * that cannot be (`Applications.canRename`).
   */
  rename(app: AppRef, packageName: string): Promise<{ readonly url: string | null }>;
  /** Removes the application with its snapshots, variables and files. An application that does not exist counts as removed. */
  remove(app: AppRef): Promise<void>;
}

/** The log that an application writes to, and the stream of the instance that has ended. */
export interface EndedInstance {
  readonly group: string;
  readonly stream: string;
}

/**
 * Crash detection by polling. A platform that emits events does nothing here.
 */
export interface AppHealth {
  /** Finds out whether an application still answers after one of its instances has ended. */
  ended(instance: EndedInstance): Promise<void>;
  /** Finds out whether an application that has crashed answers again. */
  recheck(): Promise<void>;
}

/** What runs commands at the times of a schedule, where the platform does not do so by itself. */
export interface AppCron {
  /** Begins what has become due, and does not wait for its end. Called every minute; of two calls at once one begins it. */
  runDue(): Promise<void>;
}

export interface BuildOutput {
  /**
   * Returns the lines of a build in batches, oldest first: with `follow` until the build has ended; null for a snapshot
   * that the platform does not have. Aborting the signal ends the iteration without an error. Throws `request:failed`,
   * also while iterating.
   */
  read(
    snapshot: SnapshotRef,
    follow: boolean,
    signal: AbortSignal,
  ): Promise<AsyncIterable<readonly PrintedLine[]> | null>;
}

/** An application of a user on the platform, and one uploaded version of it. */
export interface AppRef {
  readonly user: string;
  readonly app: string;
}
export interface SnapshotRef extends AppRef {
  /** Unique per deploy: `<version>-<entry number>`. */
  readonly snapshot: string;
}

/** Bytes on their way to the platform; length and digest are declared first and checked there. */
export interface Upload {
  readonly body: AsyncIterable<Uint8Array>;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** How far the platform is with a snapshot. */
export type Activation =
  | { readonly state: 'building' }
  | { readonly state: 'ready' }
  | { readonly state: 'failed'; readonly reason: string; readonly log: readonly string[] };

/** The platform that runs the applications. */
export interface HostingPlatform {
  /** Creates the application or updates its manifest; a second call changes nothing. Throws `deploy:platform:upload_tarball`. */
  ensureApp(app: AppRef, manifest: Readonly<Record<string, unknown>>): Promise<void>;
  /** Uploads the tarball; the same snapshot with the same digest again is fine. Throws `deploy:platform:upload_tarball`. */
  upload(snapshot: SnapshotRef, upload: Upload): Promise<void>;
  /** Asks the platform to extract and install; a second call is fine. Throws `deploy:tar:extract_failed`. */
  activate(snapshot: SnapshotRef): Promise<void>;
  /**
   * How far that is. A platform that can wait answers when it is over, at most so many whole seconds later; others answer
   * at once. Throws `deploy:tar:extract_failed` (retryable when the platform did not answer).
   */
  poll(snapshot: SnapshotRef, waitSeconds?: number): Promise<Activation>;
  /**
   * Starts the snapshot and moves the traffic once it answers; the old release serves on when it does not. A second
   * call on a snapshot that runs is fine. Gives the application's address. Throws `deploy:platform:start_app` with `logTail`.
   */
  start(snapshot: SnapshotRef): Promise<{ readonly url: string }>;
}

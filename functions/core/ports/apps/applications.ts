import type { AppRef } from '../hosting-platform.ts';

/** What an application does; `never`: nothing has been started yet. */
export type AppState = 'running' | 'stopped' | 'crashed' | 'never';

/** An application as the platform knows it. */
export interface Application extends AppRef {
  /** The name in package.json, with its scope. */
  readonly name: string;
  readonly state: AppState;
  /** The address at which it answers; null before its first start. */
  readonly url: string | null;
  /** The snapshot that serves, or served last; null before the first. */
  readonly snapshot: string | null;
}

/** The applications on the platform. All methods throw `request:failed` when the platform does not answer. */
export interface Applications {
  /** Returns the user's applications, sorted by their names on the platform. */
  list(user: string): Promise<readonly Application[]>;
  /** Returns an application; null when there is none. */
  find(app: AppRef): Promise<Application | null>;
  /** Returns the ids of the snapshots that the platform still has and could start again. */
  snapshots(app: AppRef): Promise<readonly string[]>;
}
